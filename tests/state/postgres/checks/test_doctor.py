"""The doctor on real servers: long transactions, bloat, settings that lose data, programs that cannot be loaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.support import postgres_server as servers
from tests.support.commands import run_li
from tests.support.postgres_server import PostgresServer
from tests.support.waiting import wait_until

from lionstudio.errors import StorageFailed
from lionstudio.state.backends import open_database, reading
from lionstudio.state.postgres.checks import doctor
from lionstudio.state.upkeep.doctor import examine
from lionstudio.state.upkeep.findings import Finding

pytestmark = pytest.mark.postgres


def findings(url: str) -> dict[str, Finding]:
    with reading(url) as conn:
        return {finding.code: finding for finding in examine(conn)}


def test_examine_names_the_server_and_leaves_out_the_file(postgres_url: str) -> None:
    found = findings(postgres_url)

    assert "PostgreSQL" in found["server.facts"].evidence
    assert "schema version" in found["server.facts"].evidence
    assert "checks of the file are left out" in found["server.facts"].evidence
    assert not [code for code in found if code.startswith(("file.", "sqlite."))]


def test_examine_names_settings_that_lose_data(postgres_url: str) -> None:
    """The server of tests is quick and not durable."""
    found = findings(postgres_url)

    assert found["server.not_durable"].severity == "error"
    assert {"server.commit_not_awaited", "server.autovacuum_off"} <= found.keys()


def test_examine_names_a_long_transaction(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_LONG_SECONDS", 0)
    with psycopg.connect(postgres_url, application_name="a report") as pg:
        pid = pg.info.backend_pid
        pg.execute("SELECT count(*) FROM sessions")
        found = findings(postgres_url)["server.long_transaction"]

    assert found.subject == f"session {pid} of lion"
    assert "a report has had a transaction open" in found.evidence
    assert f"pg_terminate_backend({pid})" in found.advice


def test_examine_names_bloat(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_DEAD_ROWS", 100)
    with psycopg.connect(postgres_url, autocommit=True) as pg:
        pg.execute("INSERT INTO notifications SELECT n::text, 'x', 0 FROM generate_series(1, 1000) n")
        pg.execute("DELETE FROM notifications")
        pg.execute("ANALYZE notifications")

    wait_until(lambda: "server.bloat" in findings(postgres_url))  # PostgreSQL 14 counts behind its commits
    assert findings(postgres_url)["server.bloat"].subject == "table notifications"


def test_doctor_command_reports_a_server(postgres_url: str, tmp_path: Path) -> None:
    done = run_li("state", "doctor", "--json", "--db", postgres_url, "--home", str(tmp_path))

    assert done.code == 1  # not durable
    assert "server.facts" in [finding["code"] for finding in done.json["findings"]]


@pytest.fixture
def upgraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresServer]:
    """A server whose programs were replaced while it runs, as by an upgrade of its packages."""
    package = Path(servers.find_programs("wheel")).parent.parent
    copy = Path("/tmp") / f"lion-pg-programs-{os.getpid()}"  # the user of the server must reach it
    for folder in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(folder, copy / folder.name, symlinks=True)
    programs = copy / package.name / "pginstall" / "bin"
    monkeypatch.setattr(servers, "find_programs", lambda kind=None: str(programs))
    server = PostgresServer()
    try:
        yield server
    finally:
        server.close()
        shutil.rmtree(copy)


def test_programs_that_cannot_be_loaded_are_named(upgraded: PostgresServer) -> None:
    url = upgraded.local_url(upgraded.create())
    with open_database(url):
        pass
    for library in Path(upgraded.programs).parent.rglob("plpgsql.so"):
        library.unlink()
        library.write_bytes(b"of another version")

    with pytest.raises(StorageFailed, match="cannot load its own programs") as refused, open_database(url) as database:
        database.write(lambda conn: conn.one("SELECT json_valid('{}')"))
    assert refused.value.hint == "restart the PostgreSQL server"
