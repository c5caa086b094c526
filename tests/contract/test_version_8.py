"""Upgrading a database of version 8 adds workers and their orders and changes no value."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from tests.contract.test_schema import schema
from tests.support.old_files import FIXTURES, NEW_TABLES_9, make_v8
from tests.support.postgres_server import PostgresServer
from tests.support.records import changed_values, dump

from lionstudio.state.database import Database
from lionstudio.state.postgres.open import open_writer
from lionstudio.state.sqlite.open import NeedsUpgrade


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    make_v8(path)
    return path


def test_upgrade_gives_the_schema_of_a_new_database(old: Path, blank: Path) -> None:
    Database(str(old)).close()

    assert schema(old) == schema(blank)


def test_upgrade_changes_no_value_and_backs_up(old: Path) -> None:
    before = dump(old)

    Database(str(old)).close()

    after = dump(old)
    assert changed_values(before, after) == []
    assert set(after) - set(before) == NEW_TABLES_9
    [backup] = old.parent.glob("state.db.v8-*.bak")
    assert dump(backup) == before


@pytest.mark.postgres
def test_upgraded_hub_has_the_schema_of_a_new_one(postgres_server: PostgresServer) -> None:
    old, new = postgres_server.create(), postgres_server.create()
    with psycopg.connect(postgres_server.local_url(old)) as pg:
        pg.execute((FIXTURES / "version_8_postgres.sql").read_text(encoding="utf-8").encode())
    with pytest.raises(NeedsUpgrade):
        open_writer(postgres_server.local_url(old))

    for name in (old, new):
        open_writer(postgres_server.local_url(name), upgrade=True).close()

    assert _objects(postgres_server.local_url(old)) == _objects(postgres_server.local_url(new))


def _objects(url: str) -> set[tuple[str, ...]]:
    """Return columns, constraints, indexes, triggers and functions as the server describes them."""
    queries = (
        "SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns"
        " WHERE table_schema = 'public'",
        "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE connamespace = 'public'::regnamespace",
        "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'",
        "SELECT tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
        "SELECT proname, md5(prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
        "SELECT version::text, lineage FROM schema_meta",
    )
    with psycopg.connect(url) as pg:
        return {tuple(map(str, row)) for query in queries for row in pg.execute(query.encode())}
