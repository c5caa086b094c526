"""Upgrading a database of version 7 adds the questions and changes no value."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contract.test_schema import schema
from tests.support.old_files import NEW_TABLES_8, make_v7
from tests.support.records import changed_values, dump

from lionstudio.model.questions import Question, QuestionKind
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import add_question


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    make_v7(path)
    return path


def test_upgrade_gives_the_schema_of_a_new_database(old: Path, blank: Path) -> None:
    Database(str(old)).close()

    assert schema(old) == schema(blank)


def test_upgrade_changes_no_value_and_backs_up(old: Path) -> None:
    before = dump(old)

    Database(str(old)).close()

    after = dump(old)
    assert changed_values(before, after) == []
    assert set(after) - set(before) == NEW_TABLES_8
    [backup] = old.parent.glob("state.db.v7-*.bak")
    assert dump(backup) == before


def test_upgraded_database_shows_a_run_that_asks_as_waiting(old: Path) -> None:
    with Database(str(old)) as db:
        question = Question(kind=QuestionKind.QUESTION, title="Which?", session_id="s0", takes_text=True)
        db.write(lambda conn: add_question(conn, question))

        assert db.conn.value("SELECT health FROM sessions") == "waiting"
