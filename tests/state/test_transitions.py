"""Every change of status, on every path, has its entry in the status history."""

from __future__ import annotations

import os

import apsw
import pytest
from tests.support.builders import begin, read, sql, write

from lionstudio.errors import IllegalTransition
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus, SessionStatus, ShowStatus, SourceKind
from lionstudio.model.status.transitions import ChangedBy, Entity
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.imports.session_merge import Incoming, merge
from lionstudio.state.imports.transcript_files import close_session, update_session
from lionstudio.state.sessions import create_session, finish_session, get_session
from lionstudio.state.shows import get_play, put_play, put_show, sync_play, sync_show, transition_play, transition_show
from lionstudio.state.transitions import list_transitions

CLAUDE = SourceKind("imported_claude")
US = f"process {os.getpid()}"


def history(db: Database, entity: Entity, entity_id: str) -> list[tuple[str | None, ...]]:
    """(previous, status, reason code, source, actor) of each entry."""
    return [tuple(change[1:]) for change in read(db, list_transitions, entity, entity_id)]


def test_run_records_its_begin_and_end(db: Database) -> None:
    begin(db)
    write(db, finish_session, "s", "failed", reasons=["run.failed.provider_error", "other"], at=7.0)

    assert history(db, "session", "s") == [
        (None, "running", None, "run", US),
        ("running", "failed", "run.failed.provider_error", "run", US),
    ]
    assert read(db, list_transitions, "session", "s")[1].at == 7.0


def test_failed_run_without_a_code_has_the_reason_of_its_status(db: Database) -> None:
    begin(db)
    write(db, finish_session, "s", "failed")

    assert history(db, "session", "s")[1][2] == "run.failed.exit_nonzero"


def test_stop_records_the_user(db: Database) -> None:
    begin(db)
    write(db, finish_session, "s", "cancelled", by=ChangedBy("stop", "mira"))

    assert history(db, "session", "s")[1][3:] == ("stop", "mira")


def test_refused_transition_leaves_no_entry(db: Database) -> None:
    begin(db)
    write(db, finish_session, "s", "completed")
    with pytest.raises(IllegalTransition):
        write(db, finish_session, "s", "failed")

    assert len(history(db, "session", "s")) == 2


def test_mirror_records_open_close_and_reopen(db: Database) -> None:
    write(db, create_session, Session(id="m", source_kind=CLAUDE, status=SessionStatus.RUNNING))

    write(db, close_session, "m", "claude", SessionStatus.COMPLETED)
    write(db, close_session, "m", "claude", SessionStatus.COMPLETED)
    steps: list[tuple[SessionStatus, tuple[str, ...]]]
    steps = [(SessionStatus.RUNNING, ()), (SessionStatus.FAILED, ("run.failed.provider_error",))]
    for status, reasons in steps:
        for _ in range(2):
            write(db, update_session, "m", "claude", texts={}, status=status, ended_at=None, reasons=reasons, mirror={})

    assert [(change[0], change[1], change[2], change[3]) for change in history(db, "session", "m")] == [
        (None, "running", None, "mirror"),
        ("running", "completed", None, "mirror"),
        ("completed", "running", None, "mirror"),
        ("running", "failed", "run.failed.provider_error", "mirror"),
    ]


def test_import_records_a_new_and_a_replaced_session(db: Database) -> None:
    def incoming(status: SessionStatus) -> Incoming:
        session = Session(id="i", source_kind=SourceKind.IMPORTED_DB, status=status, updated_at=5.0)
        return Incoming(session, "i.order", [], [], lambda conn, ids: [], refresh=lambda existing: session)

    def twice(conn: Connection) -> None:
        merge(conn, incoming(SessionStatus.RUNNING), None)
        merge(conn, incoming(SessionStatus.COMPLETED), get_session(conn, "i"))

    db.write(twice)

    assert history(db, "session", "i") == [
        (None, "running", None, "import", US),
        ("running", "completed", None, "import", US),
    ]


def test_shows_and_plays_record_every_step(db: Database) -> None:
    show = write(db, put_show, Show(id="sh", topic="docs", show_dir="/x"))
    play = Play(id="pl", show_id="sh", name="intro")
    write(db, put_play, play)
    write(db, put_play, play)  # an update changes no status
    write(db, transition_play, "sh", "intro", "prepared")
    row = read(db, get_play, "sh", "intro")
    meta = {"meta": {"reason_code": "play.escalated"}}
    by = ChangedBy("decision", "mira")
    escalated = Play(id="pl", show_id="sh", name="intro", status=PlayStatus.ESCALATED, metadata=meta)
    write(db, sync_play, escalated, row, via="file", by=by)
    write(db, transition_show, "docs", "aborted")
    aborted = Show(id="sh", topic="docs", show_dir="/x", status=ShowStatus.ACTIVE)
    write(db, sync_show, aborted, Show(id="sh", topic="docs", show_dir="/x", status=ShowStatus.ABORTED), via="file")

    assert show.id == "sh"
    assert history(db, "play", "pl") == [
        (None, "pending", None, "director", US),
        ("pending", "prepared", None, "director", US),
        ("prepared", "escalated", "play.escalated", "decision", "mira"),
    ]
    assert history(db, "show", "sh") == [
        (None, "active", None, "director", US),
        ("active", "aborted", "show.aborted", "director", US),
        ("aborted", "active", None, "files", US),
    ]


def test_change_of_another_tool_has_an_entry(db: Database) -> None:
    begin(db)
    sql(db, "UPDATE sessions SET status = 'failed' WHERE id = 's'")
    sql(db, "INSERT INTO shows (id, topic, show_dir, created_at, updated_at) VALUES ('sh', 'docs', '/x', 1, 1)")
    sql(db, "INSERT INTO plays (id, show_id, name, created_at, updated_at) VALUES ('pl', 'sh', 'intro', 1, 1)")
    sql(db, "UPDATE plays SET status = 'blocked'")

    assert history(db, "session", "s")[-1] == ("running", "failed", None, "other", None)
    assert history(db, "show", "sh") == [(None, "active", None, "other", None)]
    assert history(db, "play", "pl") == [
        (None, "pending", None, "other", None),
        ("pending", "blocked", None, "other", None),
    ]


@pytest.mark.sqlite
def test_history_is_append_only_and_ends_with_its_entity(db: Database) -> None:
    begin(db)
    sql(db, "INSERT INTO shows (id, topic, show_dir, created_at, updated_at) VALUES ('sh', 'docs', '/x', 1, 1)")
    sql(db, "INSERT INTO plays (id, show_id, name, created_at, updated_at) VALUES ('pl', 'sh', 'intro', 1, 1)")
    for statement in ("UPDATE status_transitions SET actor = 'x'", "DELETE FROM status_transitions"):
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            sql(db, statement)

    sql(db, "DELETE FROM sessions")
    sql(db, "DELETE FROM shows")

    assert sql(db, "SELECT * FROM status_transitions") == []
