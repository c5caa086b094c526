"""The change feed: its rows, resync, a tail in another connection, and the cost of reading."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from itertools import groupby
from typing import Any

import apsw
import pytest
from tests.support.builders import T0, begin, read, said, say, sql, write
from tests.support.sql_trace import traced

from lionstudio.model.shows.show import Play, Show
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.backends import open_tail
from lionstudio.state.branches import fork_branch
from lionstudio.state.connection import Connection, Params, Row
from lionstudio.state.database import Database
from lionstudio.state.definitions import save_version
from lionstudio.state.feed.changes import Change, Changes, changes_after, last_seq, trim
from lionstudio.state.messages.append import append
from lionstudio.state.runs.labels import set_note
from lionstudio.state.sessions import finish_session
from lionstudio.state.shows import put_play, put_show, transition_play
from lionstudio.state.sqlite.doorbell import Bell, Listener, folder_for
from lionstudio.state.sqlite.tail import Tail
from lionstudio.state.teams import put_team, put_team_message, transition_team

linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify")


def told(db: Database, after: int = 0) -> list[tuple[str, str, str, str | None]]:
    return [row[2:6] for row in read(db, changes_after, after).rows]


def test_changes_has_every_kind(db: Database) -> None:
    session, branch = begin(db)
    write(db, append, branch, said(id="m"))
    write(db, set_note, session, "mind the tests")
    child = write(db, fork_branch, branch, 0)
    write(db, finish_session, session, "completed")
    write(db, put_show, Show(id="show", topic="t", show_dir="/t"))
    write(db, put_play, Play(id="play", show_id="show", name="p"))
    write(db, transition_play, "show", "p", "prepared")
    sql(db, "DELETE FROM shows")
    write(db, put_team, Team(id="team", name="n"))
    write(db, put_team_message, TeamMessage(id="letter", team_id="team", sender="a", content="c"))
    write(db, transition_team, "team", "archived")
    saved = write(db, save_version, "agent", "a", "text")
    sql(db, "DELETE FROM sessions WHERE id = 's'")

    assert settled(told(db)) == [
        ("created", "session", "s", None),
        ("created", "branch", "s.main", "s"),
        ("appended", "message", "m", "s"),
        ("updated", "session", "s", None),
        ("created", "branch", child.id, "s"),
        ("updated", "session", "s", None),
        ("created", "show", "show", None),
        ("created", "play", "play", "show"),
        ("updated", "play", "play", "show"),
        ("deleted", "play", "play", "show"),
        ("deleted", "show", "show", None),
        ("created", "team", "team", None),
        ("updated", "team", "team", None),
        ("created", "team_message", "letter", "team"),
        ("updated", "team", "team", None),
        ("created", "definition", saved.id, None),
        *sorted([("deleted", "branch", "s.main", "s"), ("deleted", "branch", child.id, "s")]),
        ("deleted", "session", "s", None),
    ]


def settled(rows: list[Any]) -> list[Any]:
    """In an order of their own for deletions: each database tells those of one statement in its own."""
    return [
        row
        for deleted, group in groupby(rows, key=lambda row: row[0] == "deleted")
        for row in (sorted(group, key=lambda row: (row[1], row[2])) if deleted else group)
    ]


def test_changes_has_the_ord_of_an_append(db: Database) -> None:
    begun = begin(db)
    after = read(db, last_seq)
    say(db, begun.branch_id, "a", "b")

    rows = read(db, changes_after, after).rows

    assert rows == (
        Change(after + 1, T0, "appended", "message", "a", "s", 0),
        Change(after + 2, T0, "appended", "message", "b", "s", 1),
    )


def test_changes_forgets_a_rollback(db: Database) -> None:
    begun = begin(db)
    before = read(db, changes_after, 0)

    def fail(conn: Connection) -> None:
        append(conn, begun.branch_id, said())
        raise RuntimeError

    with pytest.raises(RuntimeError):
        db.write(fail)

    assert read(db, changes_after, 0) == before


def test_changes_after_reads_in_batches(db: Database) -> None:
    begun = begin(db)
    say(db, begun.branch_id, *(f"m{number}" for number in range(25)))

    seen, after = [], 0
    while (found := read(db, changes_after, after, limit=4)).rows:
        assert len(found.rows) <= 4
        seen += [row.seq for row in found.rows]
        after = found.last_seq

    assert seen == list(range(1, 28))


def test_changes_after_resyncs_a_reader_that_fell_behind(db: Database) -> None:
    begun = begin(db)
    say(db, begun.branch_id, *"abcdef")
    write(db, trim, rows=3)

    newest = read(db, last_seq)
    assert read(db, changes_after, 0) == Changes((), newest, resync=True)
    assert [row.seq for row in read(db, changes_after, newest - 3).rows] == [newest - 2, newest - 1, newest]


def test_changes_after_resyncs_at_a_hole(db: Database) -> None:
    begun = begin(db)
    say(db, begun.branch_id, *"abcdef")
    sql(db, "DELETE FROM changes WHERE entity_id = 'd'")

    newest = read(db, last_seq)
    assert read(db, changes_after, newest - 5) == Changes((), newest, resync=True)
    assert [row.entity_id for row in read(db, changes_after, newest - 2).rows] == ["e", "f"]


def test_changes_after_resyncs_after_the_file_was_replaced(db: Database) -> None:
    begin(db)

    assert read(db, changes_after, 1000) == Changes((), 2, resync=True)


def test_trim_keeps_the_newest_row(db: Database) -> None:
    begin(db)
    write(db, trim, rows=0, seconds=-1000.0)

    assert db.conn.all("SELECT seq FROM changes") == [(2,)]


class Interrupted(Connection):
    """A connection with a commit between two of its statements."""

    __slots__ = ("between",)
    between: Callable[[], Any]

    def all(self, sql: str, params: Params = {}) -> list[Row]:  # noqa: B006
        rows = super().all(sql, params)
        self.between()
        return rows


@pytest.mark.sqlite
def test_changes_after_keeps_a_commit_between_two_statements(db: Database) -> None:
    begun = begin(db)
    reader = Interrupted(apsw.Connection(db.path, flags=apsw.SQLITE_OPEN_READONLY), db.path)
    reader.between = lambda: say(db, begun.branch_id, "meanwhile")

    first = changes_after(reader, 2)
    reader.between = lambda: None
    second = changes_after(reader, first.last_seq)
    reader.close()

    assert first == Changes((), 2)
    assert [row.entity_id for row in second.rows] == ["meanwhile"]


@pytest.mark.sqlite
def test_changes_after_steps_follow_the_new_rows(db: Database) -> None:
    begun = begin(db)
    costs = []
    for number in range(3):
        say(db, begun.branch_id, *(f"{number}.{count}" for count in range(200 * 4**number)))
        with db.reader() as conn, traced(conn) as ran:
            changes_after(conn, last_seq(conn) - 5)
        costs.append([(statement.sql, statement.steps, statement.full_scan_steps) for statement in ran])

    assert costs[0] == costs[1] == costs[2]


@pytest.mark.sqlite
def test_tail_look_runs_one_statement_without_changes(db: Database) -> None:
    begin(db)
    with open_tail(db.path) as tail:
        tail.look()
        with traced(tail._conn) as ran:
            for _ in range(5):
                assert tail.look() == Changes((), 2)

    assert [statement.sql for statement in ran] == ["PRAGMA data_version"] * 5


@pytest.mark.sqlite
def test_tail_holds_no_transaction_between_looks(db: Database) -> None:
    begun = begin(db)
    with open_tail(db.path) as tail:
        tail.look()
        tail.wait(0)
        say(db, begun.branch_id, "a")

        assert db.conn.raw.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE) == (0, 0)


@pytest.mark.sqlite
def test_tail_waking_polls_without_waking(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.state.sqlite.tail.POLL_SECONDS", 0.002)
    begin(db)
    woken: list[int] = []

    async def follow(tail: Tail) -> list[str]:
        tail.look()
        with traced(tail._conn) as ran, tail.waking(lambda: woken.append(1)):
            for _ in range(1000):
                await asyncio.sleep(0.02)
                if len(ran) > 3:
                    break
        return [statement.sql for statement in ran]

    with open_tail(db.path) as tail:
        statements = asyncio.run(follow(tail))

    assert len(statements) > 3
    assert set(statements) == {"PRAGMA data_version"}
    assert woken == []


def test_tail_wait_returns_new_changes(db: Database) -> None:
    begun = begin(db)
    with open_tail(db.path) as tail:
        assert tail.look() == Changes((), 2)
        writer = threading.Timer(0.05, say, (db, begun.branch_id, "a", "b"))
        writer.start()

        seen: list[str] = []
        while len(seen) < 2:
            found = tail.wait(10)
            assert found.rows
            seen += [row.entity_id for row in found.rows]
        writer.join()

        assert seen == ["a", "b"]
        assert tail.wait(0).rows == ()


@pytest.mark.sqlite
def test_tail_catches_up_in_batches(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.state.sqlite.tail.BATCH", 10)
    begun = begin(db)
    say(db, begun.branch_id, *(f"m{number}" for number in range(38)))

    with open_tail(db.path, after=0) as tail:
        lengths = [len(tail.look().rows) for _ in range(5)]

    assert lengths == [10, 10, 10, 10, 0]


def test_tail_wait_is_woken_by_the_bell(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.state.sqlite.tail.POLL_SECONDS", 60.0)
    begun = begin(db)
    with open_tail(db.path) as tail:
        tail.look()
        writer = threading.Timer(0.05, say, (db, begun.branch_id, "a"))
        writer.start()
        found = tail.wait(30)
        writer.join()

    assert [row.entity_id for row in found.rows] == ["a"]


def test_tail_wait_polls_without_a_bell(db: Database) -> None:
    begun = begin(db)
    with open_tail(db.path) as tail:
        tail.look()
        writer = threading.Timer(0.05, sql, (db, "UPDATE sessions SET name = 'by another tool'"))
        writer.start()
        found = tail.wait(30)
        writer.join()

    assert [(row.kind, row.entity_id) for row in found.rows] == [("updated", begun.session_id)]


@linux
def test_tail_wait_is_woken_by_the_log_of_a_silent_writer(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.state.sqlite.tail.SLOW_SECONDS", 3600.0)
    begun = begin(db)
    with open_tail(db.path) as tail:
        tail.look()
        tail._delay = 3600.0
        writer = threading.Timer(0.05, sql, (db, "UPDATE sessions SET name = 'by another tool'"))
        writer.start()
        found = tail.wait(60)
        writer.join()

    assert [(row.kind, row.entity_id) for row in found.rows] == [("updated", begun.session_id)]


@pytest.mark.sqlite
@linux
def test_tail_waking_is_woken_by_the_log_and_by_another_file(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.state.sqlite.tail.SLOW_SECONDS", 3600.0)
    begin(db)

    async def follow(tail: Tail) -> list[str]:
        woken = asyncio.Event()
        tail.look()
        tail._delay = 3600.0
        async with asyncio.timeout(60):
            with tail.waking(woken.set):
                sql(db, "UPDATE sessions SET name = 'by another tool'")
                await woken.wait()
                kinds = [row.kind for row in tail.look().rows]
                woken.clear()
                os.rename(db.path, f"{db.path}.away")
                await woken.wait()
        return kinds

    with open_tail(db.path) as tail:
        assert asyncio.run(follow(tail)) == ["updated"]
    os.rename(f"{db.path}.away", db.path)


@pytest.mark.sqlite
def test_tail_polls_less_and_less(db: Database) -> None:
    begin(db)
    with open_tail(db.path) as watched, open_tail(db.path, watched=False) as unwatched:
        idle = [watched._next_delay(idle=True) for watched._delay in _doubled(0.005, 16)]
        polls = [unwatched._next_delay() for unwatched._delay in _doubled(0.005, 16)]

    assert (idle[:3], idle[-1]) == ([0.01, 0.02, 0.04], 2.0)
    assert (polls[0], polls[-1]) == (0.01, 0.055)


def _doubled(first: float, times: int) -> list[float]:
    return [first * 2**number for number in range(times)]


@pytest.mark.sqlite
def test_bell_reaches_a_reader_of_the_same_tick(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two readers whose sockets appear within one tick of the file system's clock, and a listing between them."""
    monkeypatch.setattr("lionstudio.state.sqlite.doorbell._TICK_NS", 3600 * 10**9)
    bell, folder = Bell(db.path), folder_for(db.path)
    first = Listener(db.path)
    tick = os.stat(folder).st_mtime_ns
    bell._list_readers()
    second = Listener(db.path)
    os.utime(folder, ns=(tick, tick))
    bell._list_readers()
    bell._send()

    assert (first.drain(), second.drain()) == (True, True)
    for item in (first, second, bell):
        item.close()


def test_tail_follow_on_an_event_loop(db: Database) -> None:
    begun = begin(db)

    async def follow() -> list[str]:
        with open_tail(db.path) as tail:
            seen: list[str] = []
            writer = threading.Timer(0.05, say, (db, begun.branch_id, "a", "b", "c"))
            writer.start()
            async for found in tail.follow():
                seen += [row.entity_id for row in found.rows]
                if len(seen) >= 3:
                    break
            writer.join()
            return seen

    async def bounded() -> list[str]:
        async with asyncio.timeout(30):
            return await follow()

    assert asyncio.run(bounded()) == ["a", "b", "c"]
