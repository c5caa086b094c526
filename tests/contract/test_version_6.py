"""Upgrading a database of version 6 adds the sessions of Studio and changes no value."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contract.test_schema import schema
from tests.support.old_files import NEW_TABLES_7, make_v6
from tests.support.records import changed_values, dump

from lionstudio.state.database import Database
from lionstudio.state.studio.studio_sessions import add_session, end_all_sessions


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    make_v6(path)
    return path


def test_upgrade_gives_the_schema_of_a_new_database(old: Path, blank: Path) -> None:
    Database(str(old)).close()

    assert schema(old) == schema(blank)


def test_upgrade_changes_no_value_and_backs_up(old: Path) -> None:
    before = dump(old)

    Database(str(old)).close()

    after = dump(old)
    assert changed_values(before, after) == []
    assert set(after) - set(before) == NEW_TABLES_7
    [backup] = old.parent.glob("state.db.v6-*.bak")
    assert dump(backup) == before


def test_upgraded_database_announces_sessions_in_the_feed(old: Path) -> None:
    with Database(str(old)) as db:
        db.write(
            lambda conn: add_session(
                conn, session_id="b1", cookie_hash="c", header_hash="h", at=1.0, user_agent=None, address=None
            )
        )
        assert db.write(end_all_sessions) == ["b1"]
        feed = db.conn.all("SELECT kind, entity_id FROM changes WHERE entity = 'studio_session' ORDER BY seq")

    assert feed == [("created", "b1"), ("deleted", "b1")]
