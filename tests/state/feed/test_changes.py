"""The change feed as its readers use it: what is in it, a tail in another connection, resync, and its cost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import apsw
import pytest
from tests.support.builders import T0, begin, read, said, say, sql, write
from tests.support.sql_trace import traced

from lionstudio.model.shows.show import Play, Show
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.branches import fork_branch
from lionstudio.state.connection import Connection, Params, Row
from lionstudio.state.database import Database
from lionstudio.state.definitions import save_version
from lionstudio.state.feed.changes import Change, Changes, Tail, changes_after, last_seq, trim
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session, set_health
from lionstudio.state.shows import put_play, put_show, transition_play
from lionstudio.state.teams import move_team, post, put_team


def told(db: Database, after: int = 0) -> list[tuple[str, str, str, str | None]]:
    return [row[2:6] for row in read(db, changes_after, after).rows]


def test_every_kind_of_change_is_in_it(db: Database) -> None:
    session, branch = begin(db)
    write(db, append, branch, said(id="m"))
    write(db, set_health, session, "waiting")
    child = write(db, fork_branch, branch, 0)
    write(db, finish_session, session, "completed")
    write(db, put_show, Show(id="show", topic="t", show_dir="/t"))
    write(db, put_play, Play(id="play", show_id="show", name="p"))
    write(db, transition_play, "show", "p", "prepared")
    sql(db, "DELETE FROM shows")
    write(db, put_team, Team(id="team", name="n"))
    write(db, post, TeamMessage(id="letter", team_id="team", sender="a", content="c"))
    write(db, move_team, "team", "archived")
    saved = write(db, save_version, "agent", "a", "text")
    sql(db, "DELETE FROM sessions WHERE id = 's'")

    assert told(db) == [
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
        ("deleted", "branch", "s.main", "s"),
        ("deleted", "branch", child.id, "s"),
        ("deleted", "session", "s", None),
    ]


def test_an_append_says_its_place_in_the_session(db: Database) -> None:
    begun = begin(db)
    after = read(db, last_seq)
    say(db, begun.branch_id, "a", "b")

    rows = read(db, changes_after, after).rows

    assert rows == (
        Change(after + 1, T0, "appended", "message", "a", "s", 0),
        Change(after + 2, T0, "appended", "message", "b", "s", 1),
    )


def test_a_change_that_is_undone_was_never_there(db: Database) -> None:
    begun = begin(db)
    before = read(db, changes_after, 0)

    def fail(conn: Connection) -> None:
        append(conn, begun.branch_id, said())
        raise RuntimeError

    with pytest.raises(RuntimeError):
        db.write(fail)

    assert read(db, changes_after, 0) == before


def test_reading_goes_on_in_batches(db: Database) -> None:
    begun = begin(db)
    say(db, begun.branch_id, *(f"m{number}" for number in range(25)))

    seen, after = [], 0
    while (found := read(db, changes_after, after, limit=4)).rows:
        assert len(found.rows) <= 4
        seen += [row.seq for row in found.rows]
        after = found.last_seq

    assert seen == list(range(1, 28))


def test_a_reader_that_fell_behind_is_told_so(db: Database) -> None:
    begun = begin(db)
    say(db, begun.branch_id, *"abcdef")
    write(db, trim, rows=3)

    newest = read(db, last_seq)
    assert read(db, changes_after, 0) == Changes((), newest, resync=True)
    assert [row.seq for row in read(db, changes_after, newest - 3).rows] == [newest - 2, newest - 1, newest]


def test_a_hole_that_another_tool_made_is_noticed(db: Database) -> None:
    begun = begin(db)
    say(db, begun.branch_id, *"abcdef")
    sql(db, "DELETE FROM changes WHERE entity_id = 'd'")

    newest = read(db, last_seq)
    assert read(db, changes_after, newest - 5) == Changes((), newest, resync=True)
    assert [row.entity_id for row in read(db, changes_after, newest - 2).rows] == ["e", "f"]


def test_a_reader_of_a_replaced_file_is_told_so(db: Database) -> None:
    begin(db)

    assert read(db, changes_after, 1000) == Changes((), 2, resync=True)


def test_the_newest_row_outlives_every_trim(db: Database) -> None:
    begin(db)
    write(db, trim, rows=0, seconds=-1000.0)

    assert db.conn.all("SELECT seq FROM changes") == [(2,)]


class Interrupted(Connection):
    """A reader to whom something happens between two of its statements."""

    __slots__ = ("between",)
    between: Callable[[], Any]

    def all(self, sql: str, params: Params = {}) -> list[Row]:  # noqa: B006
        rows = super().all(sql, params)
        self.between()
        return rows


def test_a_commit_between_two_looks_is_neither_lost_nor_a_reason_to_fetch_anew(db: Database) -> None:
    begun = begin(db)
    reader = Interrupted(apsw.Connection(db.path, flags=apsw.SQLITE_OPEN_READONLY), db.path)
    reader.between = lambda: say(db, begun.branch_id, "meanwhile")

    first = changes_after(reader, 2)
    reader.between = lambda: None
    second = changes_after(reader, first.last_seq)
    reader.close()

    assert first == Changes((), 2)
    assert [row.entity_id for row in second.rows] == ["meanwhile"]


def test_reading_what_is_new_costs_what_is_new(db: Database) -> None:
    begun = begin(db)
    costs = []
    for number in range(3):
        say(db, begun.branch_id, *(f"{number}.{count}" for count in range(200 * 4**number)))
        with db.reader() as conn, traced(conn) as ran:
            changes_after(conn, last_seq(conn) - 5)
        costs.append([(statement.sql, statement.steps, statement.full_scan_steps) for statement in ran])

    assert costs[0] == costs[1] == costs[2]


def test_a_tail_that_sees_nothing_new_asks_one_question(db: Database) -> None:
    begin(db)
    with Tail(db.path) as tail:
        tail.look()
        with traced(tail._conn) as ran:
            for _ in range(5):
                assert tail.look() == Changes((), 2)

    assert [statement.sql for statement in ran] == ["PRAGMA data_version"] * 5


def test_a_tail_leaves_nothing_open_between_looks(db: Database) -> None:
    begun = begin(db)
    with Tail(db.path) as tail:
        tail.look()
        tail.wait(0)
        say(db, begun.branch_id, "a")

        assert db.conn.raw.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE) == (0, 0)


def test_a_follower_sleeps_while_the_net_is_cast(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.state.feed.changes.NET_SECONDS", 0.002)
    begin(db)
    woken: list[int] = []

    async def follow(tail: Tail) -> list[str]:
        tail.look()
        with traced(tail._conn) as ran, tail.waking(lambda: woken.append(1)):
            await asyncio.sleep(0.1)
        return [statement.sql for statement in ran]

    with Tail(db.path) as tail:
        asked = asyncio.run(follow(tail))

    assert len(asked) > 3
    assert set(asked) == {"PRAGMA data_version"}
    assert woken == []


def test_a_tail_follows_a_writer(db: Database) -> None:
    begun = begin(db)
    with Tail(db.path) as tail:
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


def test_a_tail_that_starts_in_the_past_catches_up_in_batches(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.state.feed.changes._BATCH", 10)
    monkeypatch.setattr(changes_after, "__defaults__", (10,))
    begun = begin(db)
    say(db, begun.branch_id, *(f"m{number}" for number in range(38)))

    with Tail(db.path, after=0) as tail:
        lengths = [len(tail.look().rows) for _ in range(5)]

    assert lengths == [10, 10, 10, 10, 0]


def test_a_tail_rings_without_waiting_for_the_net(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.state.feed.changes.NET_SECONDS", 60.0)
    begun = begin(db)
    with Tail(db.path) as tail:
        tail.look()
        writer = threading.Timer(0.05, say, (db, begun.branch_id, "a"))
        writer.start()
        found = tail.wait(30)
        writer.join()

    assert [row.entity_id for row in found.rows] == ["a"]


def test_a_tail_finds_out_without_a_bell(db: Database) -> None:
    begun = begin(db)
    with Tail(db.path) as tail:
        tail.look()
        writer = threading.Timer(0.05, sql, (db, "UPDATE sessions SET name = 'by another tool'"))
        writer.start()
        found = tail.wait(30)
        writer.join()

    assert [(row.kind, row.entity_id) for row in found.rows] == [("updated", begun.session_id)]


def test_the_same_on_an_event_loop(db: Database) -> None:
    begun = begin(db)

    async def follow() -> list[str]:
        with Tail(db.path) as tail:
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
