"""Databases of other tools: system prompts beside the messages, runs with two rows, reason codes, files left behind."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.support.archives import BEGAN, ExternalDbBuilder, conversation, current, snapshot, write_run
from tests.support.builders import read, sql

from lionstudio.imports.external_db.importer import import_database
from lionstudio.imports.report import ItemOutcome, Report
from lionstudio.imports.run_folders.importer import import_runs
from lionstudio.state.branches import fork_branch, get_branch
from lionstudio.state.database import Database
from lionstudio.state.imports.session_merge import insert_missing
from lionstudio.state.sessions import get_session

RUN = "20260501T101500-a1b2c3"


@pytest.fixture
def other(tmp_path: Path) -> ExternalDbBuilder:
    (tmp_path / "other").mkdir()
    return ExternalDbBuilder(tmp_path / "other" / "state.db")


def imported(db: Database, other: ExternalDbBuilder) -> Report:
    report = Report()
    import_database(db, db.path, str(other.path), report)
    return report


def add_prompted_session(other: ExternalDbBuilder, name: str, **columns: object) -> list[str]:
    """A session whose system prompt is a column of its branch and not in any progression; all ids in order."""
    messages = conversation(name)
    prompt, *rest = messages
    other.session(name, rest, **columns)
    other.messages([prompt])
    other.conn.execute("UPDATE branches SET system_msg_id = ? WHERE id = ?", (prompt["id"], f"{name}.main"))
    return [message["id"] for message in messages]


def order_of(db: Database, table: str, id_: str) -> list[str]:
    [(collection,)] = sql(
        db,
        f"SELECT p.collection FROM {table} t JOIN progressions p ON p.id = t.progression_id WHERE t.id = ?",  # noqa: S608
        (id_,),
    )
    return list(json.loads(collection))


def test_import_database_puts_the_system_prompt_first(db: Database, other: ExternalDbBuilder) -> None:
    ids = add_prompted_session(other, "s")

    report = imported(db, other)

    assert order_of(db, "branches", "s.main") == order_of(db, "sessions", "s") == ids
    assert read(db, get_branch, "s.main").system_msg_id == ids[0]
    assert report.messages == read(db, get_session, "s").message_count == len(ids)
    assert read(db, get_session, "s").first_msg_id == ids[0]


def test_import_database_again_adds_the_prompt_that_an_older_import_left_out(
    db: Database, other: ExternalDbBuilder
) -> None:
    ids = add_prompted_session(other, "s")
    other.conn.execute("UPDATE branches SET system_msg_id = NULL")
    imported(db, other)
    assert order_of(db, "branches", "s.main") == ids[1:]
    db.write(lambda conn: fork_branch(conn, "s.main", 1, branch_id="fork", session_id="s"))
    other.conn.execute("UPDATE branches SET system_msg_id = ?", (ids[0],))

    imported(db, other)

    assert order_of(db, "branches", "s.main") == order_of(db, "sessions", "s") == ids
    fork = read(db, get_branch, "fork").fork
    assert fork is not None
    assert ids[fork.ord] == ids[2]  # the fork still ends with the same message
    assert {outcome for _, outcome in imported(db, other).counts} == {ItemOutcome.UNCHANGED}


def test_import_runs_places_a_missing_message_by_the_snapshot(
    db: Database, other: ExternalDbBuilder, tmp_path: Path
) -> None:
    ids = add_prompted_session(other, "s", run_id=RUN)
    other.conn.execute("UPDATE branches SET system_msg_id = NULL")
    imported(db, other)
    home = tmp_path / "old"
    write_run(home, RUN, current(RUN, "s.main"), snapshot("s.main", conversation("s")))

    import_runs(db, str(home), Report())

    assert order_of(db, "branches", "s.main") == order_of(db, "sessions", "s") == ids
    assert read(db, get_session, "s").last_msg_id == ids[-1]


def test_import_database_stores_a_run_with_two_rows_once(db: Database, other: ExternalDbBuilder) -> None:
    ids = add_prompted_session(other, "s", run_id=RUN)
    row = {"created_at": BEGAN - 1, "updated_at": BEGAN, "progression_id": "s.s", "status": "completed"}
    other.add("sessions", id=RUN, **row)

    report = imported(db, other)

    assert sql(db, "SELECT id FROM sessions") == [("s",)]
    assert sql(db, "SELECT sum(cost_microusd) FROM sessions") == [(12300,)]
    assert report.messages == len(ids)


def test_import_database_keeps_a_second_row_with_messages_of_its_own(db: Database, other: ExternalDbBuilder) -> None:
    add_prompted_session(other, "s", run_id=RUN)
    other.messages(conversation("more"))
    other.add("progressions", id="more", created_at=BEGAN, collection=json.dumps(["more.0.a", "more.0.d"]))
    other.add("sessions", id=RUN, created_at=BEGAN, updated_at=BEGAN, progression_id="more", status="completed")

    imported(db, other)

    assert order_of(db, "sessions", RUN) == ["more.0.a", "more.0.d"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [("run.timed_out.deadline", ("run.timed_out.deadline",)), ("some words", ()), (None, ()), ("x" * 99, ())],
)
def test_import_database_maps_reason_codes(
    db: Database, other: ExternalDbBuilder, code: str | None, expected: tuple[str, ...]
) -> None:
    other.conn.execute("ALTER TABLE sessions ADD COLUMN status_reason_code TEXT")
    other.session("s", conversation("s"), status="timed_out", status_reason_code=code)

    imported(db, other)

    assert read(db, get_session, "s").reason_codes == expected


def test_import_database_leaves_no_file_beside_the_source(db: Database, other: ExternalDbBuilder) -> None:
    other.session("s", conversation("s"))
    other.conn.close()
    before = other.path.read_bytes()

    imported(db, other)

    assert os.listdir(other.path.parent) == ["state.db"]
    assert other.path.read_bytes() == before


@pytest.mark.parametrize(
    ("existing", "order", "expected"),
    [
        ("abc", "sabc", "sabc"),
        ("abc", "axbyc", "axbyc"),
        ("abcl", "abcx", "abclx"),  # continued on both sides: the other end comes last
        ("abc", "xyz", "abcxyz"),
        ("", "abc", "abc"),
        ("ab", "b", "ab"),
    ],
)
def test_insert_missing_keeps_both_orders(existing: str, order: str, expected: str) -> None:
    missing = [id_ for id_ in order if id_ not in existing]

    assert "".join(insert_missing(existing, order, missing)) == expected
