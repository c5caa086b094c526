"""Writes on a server: nothing acknowledged is lost, nothing half is stored, a lost connection is told or survived."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from tests.support.builders import T0, begin, read, read_history, said, say, sql, write
from tests.support.postgres_server import PostgresServer
from tests.support.sql_trace import traced
from tests.support.waiting import wait_until

from lionstudio.errors import Busy, InvalidInput, LionError, StorageFailed
from lionstudio.model.messages import AssistantResponse, Message
from lionstudio.model.sessions import Session
from lionstudio.state.backends import open_database, open_tail
from lionstudio.state.connection import Connection, ServerError
from lionstudio.state.feed.changes import Change, Changes, changes_after
from lionstudio.state.messages.append import append
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.postgres.database import PostgresDatabase
from lionstudio.state.postgres.errors import ConnectionLost
from lionstudio.state.postgres.open import connect
from lionstudio.state.sessions import create_session, finish_session, get_session

pytestmark = pytest.mark.postgres


@pytest.fixture
def server_db(postgres_url: str) -> Iterator[PostgresDatabase]:
    with open_database(postgres_url) as database:
        assert isinstance(database, PostgresDatabase)
        yield database


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run at once; the first error is raised."""
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def cut(database: PostgresDatabase) -> None:
    """The server ends every other connection of the database."""
    with open_database(database.path) as other:
        other.conn.all(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_read_then_write_loses_no_update(postgres_url: str) -> None:
    def add(conn: Connection) -> None:
        count = conn.value("SELECT message_count FROM sessions WHERE id = 's'")
        conn.execute("UPDATE sessions SET message_count = :count WHERE id = 's'", {"count": count + 1})

    def work(_: int) -> None:
        with open_database(postgres_url) as other:
            for _ in range(25):
                other.write(add)

    with open_database(postgres_url) as db:
        begin(db)
        in_threads(6, work)
        assert read(db, get_session, "s").message_count == 150


def test_appends_and_writes_of_one_session_do_not_deadlock(postgres_url: str) -> None:
    with open_database(postgres_url) as db:
        _, branch = begin(db)

    def work(number: int) -> None:
        with open_database(postgres_url) as other:
            for step in range(20):
                if number % 2:
                    say(other, branch, f"{number}-{step}")
                else:
                    note = {"note": f"{number}-{step}"}
                    write(other, Connection.all, "UPDATE sessions SET note = :note RETURNING id", note)

    in_threads(6, work)
    with open_database(postgres_url) as db:
        assert len(read_history(db, branch)) == 60
        assert [entry.ord for entry in read(db, messages_after, "s")] == list(range(60))
        assert db.conn.value("SELECT count(*) FROM changes") == db.conn.value("SELECT max(seq) FROM changes")


_WAITS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"

_DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"


def test_appends_of_the_same_messages_in_opposite_order_both_succeed(postgres_url: str) -> None:
    """The first has the lock and wants the message of the second, which has that and wants the lock."""
    with open_database(postgres_url) as db:
        _, branch = begin(db)
    has_lock = threading.Event()

    def first(conn: Connection) -> None:
        append(conn, branch, said(id="a"))
        if not has_lock.is_set():
            has_lock.set()
            with open_database(postgres_url) as other:
                wait_until(lambda: other.conn.value(_WAITS) == 1)
        append(conn, branch, said(id="b"))

    def second(conn: Connection) -> None:
        append(conn, branch, said(id="b"))
        append(conn, branch, said(id="a"))

    def work(number: int) -> None:
        with open_database(postgres_url) as other:
            if number:
                assert has_lock.wait(60)
            other.write(second if number else first)

    in_threads(2, work)
    with open_database(postgres_url) as db:
        assert sorted(read_history(db, branch)) == ["a", "b"]
        wait_until(lambda: db.conn.value(_DEADLOCKS) >= 1)


def test_appends_of_the_same_messages_in_any_order_all_succeed(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    """Five writers, alone and in groups; the server looks for deadlocks sooner than by default."""
    name = postgres_url.partition("?")[0].rpartition("/")[2]
    with postgres_server.admin() as admin:
        admin.execute(f"ALTER DATABASE \"{name}\" SET deadlock_timeout = '20ms'")
    with open_database(postgres_url) as db:
        _, branch = begin(db)
    ids = [f"m{number}" for number in range(8)]

    def work(number: int) -> None:
        chance = random.Random(number)
        with open_database(postgres_url) as other:
            for turn in range(6):
                order = [f"{turn}-{id_}" for id_ in chance.sample(ids, len(ids))]
                if number % 2:
                    say(other, branch, *order)
                else:
                    other.write(lambda conn, order=order: [append(conn, branch, said(id_, id=id_)) for id_ in order])  # type: ignore[misc]

    in_threads(5, work)
    with open_database(postgres_url) as db:
        assert sorted(read_history(db, branch)) == sorted(f"{turn}-{id_}" for turn in range(6) for id_ in ids)
        assert sql(db, "SELECT max(seq) - count(*) FROM changes") == [(0,)]


def test_swallowed_failure_is_not_acknowledged(server_db: PostgresDatabase) -> None:
    def work(conn: Connection) -> None:
        create_session(conn, Session(id="s", created_at=T0))
        with suppress(ServerError):
            conn.execute("UPDATE sessions SET status = 'no status'")

    with pytest.raises(StorageFailed, match="a statement failed"):
        server_db.write(work)
    assert server_db.conn.value("SELECT count(*) FROM sessions") == 0


def test_refused_value_names_the_rule(server_db: PostgresDatabase) -> None:
    begin(server_db)

    with pytest.raises(InvalidInput, match="the database rejects that value"):
        server_db.write(lambda conn: conn.execute("UPDATE sessions SET status = 'no status'"))


def test_write_connects_again_after_an_idle_cut(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    assert read(server_db, get_session, "s").id == "s"
    cut(server_db)

    say(server_db, branch, "a")

    assert read_history(server_db, branch) == ["a"]


def test_cut_inside_a_write_stores_nothing(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)

    def work(conn: Connection) -> None:
        append(conn, branch, said(id="m"))
        cut(server_db)
        append(conn, branch, said(id="n"))

    with pytest.raises(StorageFailed, match="was lost"):
        server_db.write(work)
    assert read_history(server_db, branch) == []
    say(server_db, branch, "o")
    assert read_history(server_db, branch) == ["o"]


@pytest.mark.parametrize("done", [True, False], ids=["committed", "not committed"])
@pytest.mark.parametrize("by_call", [True, False], ids=["append", "statements"])
def test_cut_during_commit_is_asked_and_told(
    server_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch, done: bool, by_call: bool
) -> None:
    _, branch = begin(server_db)
    commit = PostgresConnection.commit

    def lose(conn: PostgresConnection) -> None:
        if done:
            commit(conn)
        conn.pg.close()
        raise ServerError(ConnectionLost("the connection was lost"))

    def work(conn: Connection) -> str:
        if not by_call:
            conn.one("SELECT 1")
        append(conn, branch, said(id="m"))
        return "result"

    monkeypatch.setattr(PostgresConnection, "commit", lose)
    if done:
        assert server_db.write(work) == "result"
    else:
        with pytest.raises(ConnectionLost):
            server_db.write(work)
    monkeypatch.undo()

    assert read_history(server_db, branch) == (["m"] if done else [])


def test_server_restart_is_told_and_survived() -> None:
    server = PostgresServer(durable=True)
    try:
        url = server.local_url(server.create())
        with open_database(url) as db:
            _, branch = begin(db)
            say(db, branch, "a")
            server.stop()
            with pytest.raises(LionError):
                say(db, branch, "b")
            with pytest.raises(LionError) as refusal:
                read(db, get_session, "s")
            assert refusal.value.hint
            server.start()
            say(db, branch, "c")
            assert read_history(db, branch) == ["a", "c"]
    finally:
        server.close()


def test_submit_groups_what_waits(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    commits = 0
    commit = server_db.commit

    def counted(work: Callable[[Connection], Any], *, grouped: bool = False) -> Any:
        nonlocal commits
        commits += 1
        return commit(work, grouped=grouped)

    server_db.commit = counted  # type: ignore[method-assign]

    async def produce() -> list[Any]:
        works = [lambda conn, n=n: append(conn, branch, said(id=f"m{n}")) for n in range(64)]
        refused = [lambda conn: conn.execute("UPDATE sessions SET status = 'no status'")]
        return await asyncio.gather(
            *map(server_db.submit, works), *map(server_db.submit, refused), return_exceptions=True
        )

    *appended, refusal = asyncio.run(produce())

    assert [one.message_id for one in appended] == [f"m{n}" for n in range(64)]
    assert isinstance(refusal, InvalidInput)
    assert commits <= 3
    assert len(read_history(server_db, branch)) == 64


@pytest.mark.parametrize("done", [True, False], ids=["committed", "not committed"])
def test_cut_during_commit_of_a_group_is_asked_and_told(
    server_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch, done: bool
) -> None:
    _, branch = begin(server_db)
    say(server_db, branch, "known")
    execute = PostgresConnection._execute_queue

    def lose(conn: PostgresConnection) -> None:
        if done:
            execute(conn)
        conn.pg.close()
        raise ServerError(ConnectionLost("the connection was lost"))

    async def produce() -> list[Any]:
        works = [partial(append, branch_id=branch, message=answered(f"m{n}")) for n in range(5)]
        return await asyncio.gather(*map(server_db.submit, works), return_exceptions=True)

    monkeypatch.setattr(PostgresConnection, "_execute_queue", lose)
    outcomes = asyncio.run(produce())
    monkeypatch.undo()

    assert [isinstance(outcome, ConnectionLost) for outcome in outcomes] == [not done] * 5
    assert read_history(server_db, branch) == ["known", *([f"m{n}" for n in range(5)] if done else [])]


def test_submit_sends_appends_with_the_commit(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    say(server_db, branch, "known")

    async def produce(*ids: str) -> list[Any]:
        works = [partial(append, branch_id=branch, message=answered(id_)) for id_ in ids]
        return await asyncio.gather(*map(server_db.submit, works), return_exceptions=True)

    with traced(server_db.conn) as ran:
        outcomes = asyncio.run(produce("a", "b", "c"))
    assert [one.sql.partition(" ")[0] for one in ran] == ["SELECT"]  # all calls at once, BEGIN and COMMIT beside them
    assert [(one.message_id, one.new) for one in outcomes] == [("a", True), ("b", True), ("c", True)]

    # one of them is there already: the group is done again, one by one
    assert [one.new for one in asyncio.run(produce("d", "b", "e"))] == [True, False, True]
    write(server_db, finish_session, "s", "completed")
    refused = asyncio.run(produce("f", "g"))
    assert [type(outcome).__name__ for outcome in refused] == ["IllegalTransition"] * 2
    assert read_history(server_db, branch) == ["known", "a", "b", "c", "d", "e"]
    assert server_db.conn.value("SELECT count(*) FROM messages") == 6


def answered(id_: str) -> Message:
    return AssistantResponse(id=id_, content={"assistant_response": id_}, role="assistant", created_at=T0)


def test_each_allows_statements_between_its_rows(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    say(server_db, branch, *(f"m{n}" for n in range(60)))

    def work(conn: Connection) -> int:
        found = 0
        for (id_,) in conn.each("SELECT id FROM messages ORDER BY pk"):
            found += conn.value("SELECT count(*) FROM messages WHERE id = :id", {"id": id_})
        return found

    assert server_db.read(work) == 60
    assert server_db.write(work) == 60
    with server_db.reader() as conn:  # without a transaction
        assert work(conn) == 60
        assert not conn.in_transaction


def test_read_sees_one_moment(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)

    def work(conn: Connection) -> tuple[int, int]:
        before = conn.value("SELECT count(*) FROM messages")
        say(server_db, branch, "m")
        return before, conn.value("SELECT count(*) FROM messages")

    assert server_db.read(work) == (0, 0)
    assert server_db.conn.value("SELECT count(*) FROM messages") == 1


def test_read_cannot_write(server_db: PostgresDatabase) -> None:
    with pytest.raises(StorageFailed, match="read-only"):
        server_db.read(lambda conn: conn.execute("DELETE FROM sessions"))


# ── The feed ─────────────────────────────────────────────────────────────


def followed(url: str, ready: threading.Event, done: threading.Event, rows: list[Change]) -> None:
    with open_tail(url) as tail:
        ready.set()
        while True:
            ended = done.is_set()
            changes = tail.wait(0.2)
            assert not changes.resync
            rows += changes.rows
            if ended and not changes.rows:
                return


def test_feed_is_gapless_in_commit_order(postgres_url: str) -> None:
    """Eight writers, some of which roll back; a reader beside them sees every change once and in order."""
    with open_database(postgres_url) as db:
        branches = [begin(db, f"s{number}").branch_id for number in range(8)]
    rows: list[Change] = []
    ready, done = threading.Event(), threading.Event()
    reader = threading.Thread(target=followed, args=(postgres_url, ready, done, rows))
    reader.start()
    ready.wait(10)

    def work(number: int) -> None:
        with open_database(postgres_url) as other:
            for step in range(20):
                with suppress(ZeroDivisionError):
                    write(other, change, number, step)

    def change(conn: Connection, number: int, step: int) -> None:
        append(conn, branches[number], said(id=f"{number}-{step}"))
        if step % 3 == 0:
            conn.execute("UPDATE sessions SET note = :note WHERE id = :id", {"note": str(step), "id": f"s{number}"})
        if step % 5 == 4:
            raise ZeroDivisionError

    in_threads(8, work)
    done.set()
    reader.join(30)

    seqs = [change.seq for change in rows]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    told = {change.entity_id for change in rows if change.kind == "appended"}
    assert told == {f"{number}-{step}" for number in range(8) for step in range(20) if step % 5 != 4}
    with open_database(postgres_url) as db:
        assert db.conn.value("SELECT max(seq) FROM changes") == seqs[-1]
        assert db.conn.value("SELECT count(*) FROM changes") == seqs[-1]


def test_tail_survives_a_cut_and_misses_nothing(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    with open_tail(server_db.path) as tail:
        cut(server_db)
        with suppress(LionError):  # the look that learns it
            tail.look()
        with open_database(server_db.path) as other:
            say(other, branch, "a")
        assert [change.entity_id for change in tail.wait(5).rows] == ["a"]


def test_tail_sees_a_commit_without_a_bell(server_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    _, branch = begin(server_db)
    monkeypatch.setattr(server_db.bell, "ring", lambda: None)
    with open_tail(server_db.path) as tail:
        say(server_db, branch, "a")
        assert [change.entity_id for change in tail.wait(5).rows] == ["a"]


def test_bell_wakes_a_reader(server_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    from lionstudio.state.postgres import tail as postgres_tail

    monkeypatch.setattr(postgres_tail, "LOOK_SECONDS", 60)
    _, branch = begin(server_db)
    with open_tail(server_db.path) as tail:
        timer = threading.Timer(0.05, say, (server_db, branch, "a"))
        timer.start()
        assert [change.entity_id for change in tail.wait(20).rows] == ["a"]
        timer.join()


def test_bell_with_an_answer_wakes_the_reader_again(
    server_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lionstudio.state.postgres import tail as postgres_tail

    _, branch = begin(server_db)
    woken = 0

    def wake() -> None:
        nonlocal woken
        woken += 1

    async def follow(tail: postgres_tail.PostgresTail) -> None:
        def answer(conn: Connection, after: int, limit: int) -> Changes:
            changes = changes_after(conn, after, limit)
            tail._rung = True
            return changes

        with tail.waking(wake, is_idle=lambda: True):
            before = woken
            monkeypatch.setattr(postgres_tail, "changes_after", answer)
            assert [change.entity_id for change in tail.look().rows] == ["a"]
            assert woken == before + 1

    with open_tail(server_db.path) as tail:
        assert isinstance(tail, postgres_tail.PostgresTail)
        say(server_db, branch, "a")
        asyncio.run(follow(tail))


def test_reader_that_is_not_idle_any_more_looks_often(
    server_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lionstudio.state.postgres import tail as postgres_tail

    monkeypatch.setattr(postgres_tail, "_SLOW_SECONDS", 600)
    begin(server_db)

    async def follow() -> None:
        idle, rang = True, asyncio.Event()
        with open_tail(server_db.path) as tail, tail.waking(rang.set, is_idle=lambda: idle):
            idle = False
            tail.look()
            rang.clear()
            async with asyncio.timeout(60):
                await rang.wait()

    asyncio.run(follow())


def test_bell_that_failed_rings_again(server_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    from lionstudio.state.postgres import bell

    monkeypatch.setattr(bell, "_RETRY_SECONDS", 0.01)
    failures = ["refused", "refused"]

    def refuse(path: str) -> Any:
        if failures:
            raise StorageFailed(failures.pop())
        return connect(path)

    monkeypatch.setattr(bell, "connect", refuse)
    with connect(server_db.path) as listener:
        listener.execute(f"LISTEN {bell.CHANNEL}")
        begin(server_db)  # one commit
        assert [notify.channel for notify in listener.notifies(timeout=60, stop_after=1)] == [bell.CHANNEL]
    assert not failures


def test_busy_lock_is_reported(server_db: PostgresDatabase) -> None:
    begin(server_db)
    with open_database(server_db.path) as other:
        other.conn.execute("SET lock_timeout = '100ms'")

        def hold(conn: Connection) -> None:
            conn.one("SELECT 1")
            with pytest.raises(Busy):
                write(other, create_session, Session(id="other", created_at=T0))

        server_db.write(hold)


def test_long_values_are_stored(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    text = "a word and " * 400_000

    server_db.write(lambda conn: append(conn, branch, said(text, id="m")))

    assert read(server_db, lambda conn: conn.value("SELECT length(content) FROM messages")) > len(text)
