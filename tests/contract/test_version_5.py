"""Upgrading a database of version 5 fills the columns of lineage, rebuilds the search index and changes no value."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from tests.contract.test_schema import schema
from tests.support.builders import read
from tests.support.old_files import NEW_TABLES, make_v5
from tests.support.records import changed_values, dump

from lionstudio.errors import WrongVersion
from lionstudio.state.database import Database
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sessions import get_session
from lionstudio.state.sqlite.fulltext import search
from lionstudio.state.sqlite.open import SCHEMA_VERSION, open_reader
from lionstudio.state.upkeep.doctor import examine


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    make_v5(path)
    return path


def test_upgrade_gives_the_schema_of_a_new_database(old: Path, blank: Path) -> None:
    Database(str(old)).close()

    assert schema(old) == schema(blank)


def test_upgrade_changes_no_value_and_backs_up(old: Path) -> None:
    before = dump(old)

    Database(str(old)).close()

    after = dump(old)
    assert [(row["version"], row["lineage"]) for row in after["schema_meta"]] == [(SCHEMA_VERSION, "lion-studio")]
    assert changed_values(before, after) == []
    assert set(after) - set(before) == NEW_TABLES
    [backup] = old.parent.glob("state.db.v5-*.bak")
    assert dump(backup) == before


def test_upgrade_fills_conversation_and_lineage(old: Path) -> None:
    with Database(str(old)) as db:
        sessions = {id_: read(db, get_session, id_) for id_ in ("v0", "v1", "v2", "v3", "v4")}

    assert {id_: (one.conversation_id, one.continues, one.forked_from) for id_, one in sessions.items()} == {
        "v0": ("c-1", None, None),
        "v1": ("c-1", "v0", None),
        "v2": (None, None, "v0"),
        "v3": (None, None, None),
        "v4": (None, None, None),
    }


def test_upgrade_titles_sessions_by_their_prompt(old: Path) -> None:
    connection = apsw.Connection(str(old))
    connection.execute("UPDATE sessions SET name = 'message number2001 needle' WHERE id = 's2'")
    connection.close()

    with Database(str(old)) as db:
        names = db.conn.all("SELECT id, name, title FROM sessions WHERE id IN ('s0', 's1', 's2', 's3') ORDER BY id")
        listed = [row["id"] for row in read(db, list_sessions, Filters(text="number2001")).rows]

    assert names == [
        ("s0", "Fix the login page", "message number1 needle"),
        ("s1", "Größe ändern", "message number1001 needle"),
        ("s2", None, "message number2001 needle"),  # its name was only its prompt
        ("s3", "before all time", None),
    ]
    assert listed == ["s2"]


def test_upgraded_database_lists_searches_and_passes_the_doctor(old: Path) -> None:
    with Database(str(old)) as db:
        rows = read(db, list_sessions, Filters(text="login")).rows
        hits = read(db, search, "needle")
        findings = db.read(lambda conn: list(examine(conn, deep=True)))
        assert db.conn.value("PRAGMA integrity_check") == "ok"
    assert [row["id"] for row in rows] == ["s0", "s4"]
    assert [hit.message_id for hit in hits] == ["m2001", "m1001", "m0100", "m0001"]
    assert [finding for finding in findings if finding.severity == "error"] == []


def test_reader_refuses_version_5(old: Path) -> None:
    with pytest.raises(WrongVersion, match="has schema version 5"):
        open_reader(str(old))
