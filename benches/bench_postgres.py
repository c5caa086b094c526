"""A hub: appends on a PostgreSQL server against bare calls of the library, its feed, lists, searches, and pushes to it.

The server is that of the tests, on loopback. It does not wait for the disk, which would hide everything else, except
where delays and pushes are measured. Client and server share the processors of this machine. The large database is
built once and kept in the folder for temporary files.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import psycopg
from psycopg.raw_cursor import RawCursor
from tests.support.postgres_server import PostgresServer

from benches.delays import measure_delay
from benches.measure import Contest, Play, median_ms, p50, percentile, rate
from benches.nearest import measure_nearest
from benches.postgres_store import large_store
from benches.pushes import follow, push_all
from benches.stores import begin, clean_up, messages
from benches.table import Options, Table, at_least, at_most, options
from lionstudio.model.messages import Message
from lionstudio.state.backends import open_database, open_reader, open_tail
from lionstudio.state.connection import Connection
from lionstudio.state.messages.append import append
from lionstudio.state.messages.append_cursor import cursor_of
from lionstudio.state.messages.rows import to_row
from lionstudio.state.postgres.connection import CALL
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sqlite.fulltext import search

T = TypeVar("T")
_ROUND = 60  # appends of one contestant in one round
_PRODUCERS = 64
_clock = time.perf_counter_ns

_MESSAGE = """
INSERT INTO messages (id, created_at, node_metadata, content, embedding, sender, recipient, channel, role, lion_class)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
"""
_ITEMS = "INSERT INTO progression_items (prog, ord, message_id) VALUES ($1, $2, $3), ($4, $5, $6)"
_SESSION = (
    "UPDATE sessions SET last_msg_id = $1, last_message_at = $2, updated_at = $2, message_count = $3 WHERE id = $4"
)
_CHANGE = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id, ord) VALUES ($1, 'appended', 'message', $2, $3, $4)
"""


class Store:
    """A new database of the server, with one session."""

    def __init__(self, server: PostgresServer, *, filled: int = 0) -> None:
        self.url = server.url(server.create())  # over TCP, as on a network
        self.database = open_database(self.url)
        self.session, self.branch = begin(self.database)
        self.supply = messages(random.Random(7))
        for _ in range(0, filled, 500):
            self._fill(500)

    def _fill(self, count: int) -> None:
        batch = [next(self.supply) for _ in range(count)]
        self.database.write(lambda conn: [append(conn, self.branch, message) for message in batch])

    def rows(self, count: int = _ROUND) -> list[tuple[Any, ...]]:
        return [to_row(self.database.conn, next(self.supply)) for _ in range(count)]


def _timed(work: Callable[[T], object], values: Iterable[T]) -> list[float]:
    each = []
    for value in values:
        start = _clock()
        work(value)
        each.append((_clock() - start) / 1000)
    return each


def bare_call(store: Store) -> Play:
    """One call of the function in a transaction of its own."""
    cursor = RawCursor(psycopg.connect(store.url, autocommit=True))

    def run(row: tuple[Any, ...]) -> object:
        return cursor.execute(CALL, (store.branch, False, None, *row)).fetchone()

    return lambda: _timed(run, store.rows())


def bare_statements(store: Store) -> Play:
    """The same rows by four statements."""
    ends = cursor_of(store.database.conn, store.branch)
    cursor = RawCursor(psycopg.connect(store.url, autocommit=True))
    place = 0

    def run(row: tuple[Any, ...]) -> None:
        nonlocal place
        id_, at = row[0], row[1]
        cursor.execute("BEGIN")
        cursor.execute(_MESSAGE, row)
        cursor.execute(_ITEMS, (ends.session.prog, place, id_, ends.prog, place, id_))
        cursor.execute(_SESSION, (id_, at, place + 1, store.session))
        cursor.execute(_CHANGE, (at, id_, store.session, place))
        cursor.execute("COMMIT")
        place += 1

    return lambda: _timed(run, store.rows())


def one_by_one(store: Store) -> Play:
    def run(message: Message) -> object:
        return store.database.write(lambda conn: append(conn, store.branch, message))

    return lambda: _timed(run, [next(store.supply) for _ in range(_ROUND)])


def together(store: Store) -> Play:
    """64 producers that await `submit`."""

    async def produce(each: list[float]) -> None:
        for _ in range(_ROUND // 10):
            message, start = next(store.supply), _clock()
            await store.database.submit(partial(append, branch_id=store.branch, message=message))
            each.append((_clock() - start) / 1000)

    async def produce_all() -> list[float]:
        each: list[float] = []
        await asyncio.gather(*(produce(each) for _ in range(_PRODUCERS)))
        return each

    return lambda: asyncio.run(produce_all())


def main() -> None:
    args = options(__doc__)
    try:
        server = PostgresServer()
    except LookupError as error:
        print(f"PostgreSQL: not measured, {error}\n")
        return
    table = Table("PostgreSQL", args)
    try:
        _appends(table, server, args)
        _numbers(table, server, args)
        _long_sessions(table, server, args)
        _reader(table, server, args)
    finally:
        server.close()
    _large(table, args)
    measure_nearest(table, 5_000 if args.quick else 100_000)
    _delays(table, args)
    clean_up()
    table.close()


def _seconds(args: Options, share: float) -> float:
    return share * (20 if args.quick else 150)


def _appends(table: Table, server: PostgresServer, args: Options) -> None:
    contest = Contest(
        {
            "one bare call": bare_call(Store(server)),
            "four bare statements": bare_statements(Store(server)),
            "write": one_by_one(Store(server)),
            "submit × 64": together(Store(server)),
        }
    )
    contest.run(_seconds(args, 0.4))
    for name in contest.rounds:
        table.say(f"{name:<22} p50 {contest.typical(name, 50):7.0f} µs  {contest.median(name, rate):7,.0f}/s")
    table.row("append / one bare call, p50", contest.ratio("write", p50), "×", at_most(1.3))
    table.row(
        "append / four bare statements, p50", contest.ratio("write", p50, "four bare statements"), "×", at_most(0.6)
    )
    table.row("64 producers / one by one", contest.ratio("submit × 64", rate, "write"), "×", at_least(2))


_UNNUMBERED = """
CREATE SEQUENCE bare_seq START 1000000;
CREATE OR REPLACE FUNCTION write_lock() RETURNS void LANGUAGE sql AS $$ SELECT $$;
CREATE OR REPLACE FUNCTION next_seq() RETURNS bigint LANGUAGE sql AS $$ SELECT nextval('bare_seq') $$;
"""


def _numbers(table: Table, server: PostgresServer, args: Options) -> None:
    """Eight producers with sessions of their own, numbered under the lock, and by a sequence."""
    contest = Contest({"sequence": _eight(Store(server), unnumbered=True), "lock": _eight(Store(server))})
    contest.run(_seconds(args, 0.2))
    table.row("numbering under the lock / a sequence, 8 producers", 1 / contest.ratio("lock", rate), "×", at_most(1.3))


def _eight(store: Store, *, unnumbered: bool = False) -> Play:
    if unnumbered:
        with psycopg.connect(store.url, autocommit=True) as pg:
            pg.execute(_UNNUMBERED)
    branches = [begin(store.database)[1] for _ in range(8)]
    cursors = [RawCursor(psycopg.connect(store.url, autocommit=True)) for _ in branches]

    def turn() -> list[float]:
        each: list[float] = []
        batches = [store.rows(20) for _ in branches]

        def produce(number: int) -> None:
            for row in batches[number]:
                start = _clock()
                cursors[number].execute(CALL, (branches[number], False, None, *row)).fetchone()
                each.append((_clock() - start) / 1000)

        threads = [threading.Thread(target=produce, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return each

    return turn


def _long_sessions(table: Table, server: PostgresServer, args: Options) -> None:
    many = 20_000 if args.quick else 100_000
    contest = Contest({"short": one_by_one(Store(server, filled=100)), "long": one_by_one(Store(server, filled=many))})
    contest.run(_seconds(args, 0.2))
    table.row(f"append at message {many:,} / at 100, p50", contest.ratio("long", p50), "×", at_most(1.2))


def _reader(table: Table, server: PostgresServer, args: Options) -> None:
    store = Store(server)
    waits: list[float] = []
    with open_tail(store.url) as tail:
        for _ in range(100 if args.quick else 500):
            committed: list[int] = []
            writer = threading.Thread(target=_commit, args=(store, committed))
            writer.start()
            while not tail.wait(5).rows:
                pass
            seen = _clock()
            writer.join()
            waits.append(max(seen - committed[0], 0) / 1e6)
            time.sleep(0.003)  # a pause longer than that of the bell
    table.row("commit to a reader, p95", percentile(waits, 95), "ms", at_most(10))


def _commit(store: Store, committed: list[int]) -> None:
    message = next(store.supply)
    store.database.write(lambda conn: append(conn, store.branch, message))
    committed.append(_clock())


_PAGES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "status": {"status": "failed"},
    "project": {"project": "project 0"},
    "status, project": {"status": "failed", "project": "project 0"},
    "status, agent": {"status": "failed", "agent": "agent 0"},
    "status, kind": {"status": "running", "kind": "flow"},
    "model": {"model": "model 2"},
    "machine": {"machine": "machine 3"},
    "text": {"text": "name 17"},
}


def _large(table: Table, args: Options) -> None:
    rows = 50_000 if args.quick else 1_000_000
    server, name = large_store(rows)
    try:
        conn = open_reader(server.url(name))
        trip = median_ms(200, conn.one, "SELECT 1")
        for what, filters in _PAGES.items():
            sent = _recorded(conn, Filters(**filters))
            whole = median_ms(21, _replay, conn, sent)
            in_server = statistics.median(_server_ms(conn, sent) for _ in range(21))
            note = f"{whole:.2f} ms with the rows; a round trip takes {trip:.2f} ms"
            table.row(f"100 of {rows:,} runs by {what}, in SQL", in_server, "ms", at_most(1), note)
        for query in ("common", "976", "commo*"):
            took = median_ms(20, _find, conn, query)
            table.row(f"search for {query} in {rows:,} messages, newest 20", took, "ms", at_most(20))
        conn.close()
    finally:
        server.stop()


def _recorded(conn: Connection, filters: Filters) -> list[tuple[str, Any]]:
    """The statements of a page, to be run without the product's Python around them."""
    sent: list[tuple[str, Any]] = []
    execute = conn.execute

    def noting(sql: str, params: Any = None) -> Any:
        sent.append((sql, params))
        return execute(sql, params)

    conn.execute = noting
    list_sessions(conn, filters)
    conn.execute = execute
    return sent


def _replay(conn: Connection, sent: list[tuple[str, Any]]) -> None:
    for sql, params in sent:
        conn.all(sql, params)


def _server_ms(conn: Connection, sent: list[tuple[str, Any]]) -> float:
    """The time that the server says it plans and runs these statements."""
    total = 0.0
    for sql, params in sent:
        [(text,)] = conn.all(f"EXPLAIN (ANALYZE, TIMING off, FORMAT json) {sql}", params)
        [plan] = json.loads(text)
        total += plan["Planning Time"] + plan["Execution Time"]
    return total


def _find(conn: Connection, query: str) -> object:
    return search(conn, query, limit=20)


def _delays(table: Table, args: Options) -> None:
    """From a commit on the hub, or on a machine that pushes to it, to a client of its Studio; and a first push."""
    server = PostgresServer(durable=True)
    commits = 60 if args.quick else 600
    try:
        measure_delay(table, "hub, notified", server.local_url(server.create()), commits, True, at_most(10))
        measure_delay(table, "hub, not notified", server.local_url(server.create()), commits, False, at_most(80))
        push_all(table, server.url(server.create()), 200 if args.quick else 2000)
        follow(table, server.url(server.create()), commits)
    finally:
        server.close()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
