"""The change feed: after any order of appends, trims and reads, each change is seen once or the reader resyncs."""

from __future__ import annotations

import time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.builders import said, trial

from lionstudio.model.branches import Branch
from lionstudio.model.sessions import Session
from lionstudio.state.branches import create_branch
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import changes_after, last_seq, trim
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import create_session

DAY = 86400.0
# The time of a message: long ago for an import, in the future with a clock that runs ahead.
appends = st.tuples(st.just("append"), st.sampled_from([0.0, -30 * DAY, 30 * DAY]))
# Another tool may delete rows from the middle of the feed.
holes = st.tuples(st.just("hole"), st.integers(0, 4))
trims = st.tuples(st.just("trim"), st.tuples(st.integers(0, 6), st.sampled_from([0.0, DAY, 60 * DAY])))
looks = st.tuples(st.just("look"), st.integers(1, 4))
steps_of = st.lists(st.one_of(appends, looks, trims, holes), max_size=25)


@given(steps=steps_of, start=st.integers(0, 3))
def test_changes_after_gives_each_change_once_or_resync(
    conn: Connection, steps: list[tuple[str, Any]], start: int
) -> None:
    with trial(conn):
        create_session(conn, Session(id="s"))
        create_branch(conn, Branch(id="b", session_id="s"))
        begun = last_seq(conn)
        reader = max(0, begun - start)
        owed = list(range(reader + 1, begun + 1))  # what was written and not told yet
        for number, (what, value) in enumerate(steps):
            if what == "append":
                append(conn, "b", said(id=f"m{number}", created_at=time.time() + value))
                owed.append(last_seq(conn))
            elif what == "trim":
                rows, seconds = value
                trim(conn, rows=rows, seconds=seconds)
            elif what == "hole":
                conn.execute("DELETE FROM changes WHERE seq = :seq", {"seq": last_seq(conn) - 1 - value})
            else:
                found = changes_after(conn, reader, limit=value)
                told = [change.seq for change in found.rows]
                if found.resync:
                    assert told == []
                    owed = []
                else:
                    assert told == owed[: len(told)]
                    assert told or not owed
                    owed = owed[len(told) :]
                reader = found.last_seq
        while owed:
            found = changes_after(conn, reader)
            assert found.resync or [change.seq for change in found.rows] == owed
            owed, reader = [], found.last_seq
        assert changes_after(conn, reader) == ((), reader, False)


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from([0.0, DAY])), max_size=4), st.integers(0, 5))
def test_seq_is_never_reused(conn: Connection, trims: list[tuple[int, float]], count: int) -> None:
    with trial(conn):
        create_session(conn, Session(id="s"))
        create_branch(conn, Branch(id="b", session_id="s"))
        given = [last_seq(conn)]
        for number in range(count):
            for rows, seconds in trims:
                trim(conn, rows=rows, seconds=seconds)
            append(conn, "b", said(id=f"m{number}", created_at=0.0))
            given.append(last_seq(conn))

        assert given == list(range(given[0], given[0] + len(given)))


@given(after=st.integers(-(2**62), 2**62))
def test_changes_after_answers_any_seq(conn: Connection, after: int) -> None:
    with trial(conn):
        create_session(conn, Session(id="s"))
        newest = last_seq(conn)
        found = changes_after(conn, after)

        assert found.last_seq == newest
        assert found.resync or [change.seq for change in found.rows] == list(range(max(after, 0) + 1, newest + 1))
        assert found.resync or after <= newest
