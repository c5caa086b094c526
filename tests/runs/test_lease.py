"""The row of a run, made with the proof that its process owns it."""

from __future__ import annotations

import pytest
from tests.support.builders import write
from tests.support.workers import play

from lionstudio.model.ids import new_id
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play
from lionstudio.runs.lease import RunLease
from lionstudio.state.database import Database
from lionstudio.state.shows import get_play, get_show


def begin(db: Database, name: str) -> str:
    """A run of a play that begins."""
    lease = RunLease(db.path, Session(id=new_id(), show_topic="release", show_play_name=name))
    try:
        write(db, lease.begin)
    finally:
        lease.release()
    return lease.session_id


def stored(db: Database, name: str) -> Play:
    return db.read(lambda conn: get_play(conn, get_show(conn, "release").id, name))


def test_run_of_a_play_is_linked_while_it_runs(db: Database) -> None:
    play(db, "release", "api", status="running")
    play(db, "release", "docs", status="running")

    first = begin(db, "api")
    linked = stored(db, "api").session_id
    second = begin(db, "api")  # of another worker, which has taken it over

    assert (linked, stored(db, "api").session_id, stored(db, "docs").session_id) == (first, second, None)


@pytest.mark.parametrize("status", ["running_complete", "merged", "escalated"])
def test_run_about_a_play_that_does_not_run_is_not_linked(db: Database, status: str) -> None:
    play(db, "release", "api", status=status)

    begin(db, "api")

    assert stored(db, "api").session_id is None
