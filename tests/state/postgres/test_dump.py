"""A dump of the server's own tools restores completely: what generated columns and indexes need is found there too."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.support.builders import begin, say
from tests.support.postgres_server import PostgresServer

from lionstudio.state.backends import open_database
from lionstudio.state.sqlite.fulltext import search

pytestmark = pytest.mark.postgres
_ROWS = "SELECT id, content FROM messages ORDER BY pk"


def test_dump_restores_completely(postgres_server: PostgresServer, postgres_url: str, tmp_path: Path) -> None:
    if not os.path.exists(os.path.join(postgres_server.programs, "pg_dump")):
        pytest.skip("this server came without pg_dump")
    with open_database(postgres_url) as database:
        begun = begin(database, model="m", conversation_id="c")
        say(database, begun.branch_id, "Über café", "two")
        rows = database.read(lambda conn: conn.all(_ROWS))
    name = postgres_server.create()
    copy = postgres_server.local_url(name)
    dump = str(tmp_path / "hub.dump")
    try:
        for words in (
            ["pg_dump", "-Fc", "-f", dump, postgres_url],
            ["pg_restore", "--exit-on-error", "-d", copy, dump],
        ):
            program = os.path.join(postgres_server.programs, words[0])
            subprocess.run([program, *words[1:]], check=True, capture_output=True)
        with open_database(copy, create=False) as database:
            assert database.read(lambda conn: conn.all(_ROWS)) == rows
            hits = database.read(lambda conn: search(conn, "cafe"))
            say(database, begun.branch_id, "three")
        assert len(hits) == 1
    finally:
        postgres_server.drop(name)
