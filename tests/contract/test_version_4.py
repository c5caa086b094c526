"""Upgrading a database of version 4 drops the indexes over combinations of filters and changes nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contract.test_schema import schema
from tests.support.builders import read
from tests.support.old_files import make_v4
from tests.support.records import changed_values, dump

from lionstudio.errors import WrongVersion
from lionstudio.state.database import Database
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sqlite.open import SCHEMA_VERSION, open_reader
from lionstudio.state.upkeep.doctor import examine


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    make_v4(path)
    return path


def test_upgrade_gives_the_schema_of_a_new_database(old: Path, blank: Path) -> None:
    before = schema(old)

    Database(str(old)).close()

    assert schema(old) == schema(blank)
    dropped = set(before) - set(schema(old))
    assert len(dropped) == 23
    assert all(kind == "index" and name.startswith("idx_sessions_") for kind, name in dropped)


def test_upgrade_changes_no_row_and_backs_up(old: Path) -> None:
    before = dump(old)

    Database(str(old)).close()

    after = dump(old)
    assert [(row["version"], row["lineage"]) for row in after.pop("schema_meta")] == [(SCHEMA_VERSION, "lion-studio")]
    assert changed_values(before, after) == []
    [backup] = old.parent.glob("*.bak")
    assert backup.name.startswith("state.db.v4-")
    assert dump(backup) == before


def test_upgraded_database_lists_and_passes_the_doctor(old: Path) -> None:
    with Database(str(old)) as db:
        rows = read(db, list_sessions, Filters(project="garden", status="failed")).rows
        findings = db.read(lambda conn: list(examine(conn, deep=True)))
        assert db.conn.value("PRAGMA integrity_check") == "ok"
    assert [row["id"] for row in rows] == ["s1"]
    assert [finding for finding in findings if finding.severity == "error"] == []


def test_reader_refuses_version_4(old: Path) -> None:
    with pytest.raises(WrongVersion, match="has schema version 4"):
        open_reader(str(old))
