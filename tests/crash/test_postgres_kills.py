"""kill -9 of writers and of the PostgreSQL server under eight writing processes: nothing acknowledged is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.crash.conftest import Figures
from tests.support.children import Event, WorkerPool
from tests.support.invariants import check
from tests.support.postgres_server import PostgresServer
from tests.support.workload import begin, said

from lionstudio.errors import StorageFailed
from lionstudio.model.sessions import Session
from lionstudio.state.backends import open_database, open_tail
from lionstudio.state.connection import Connection
from lionstudio.state.messages.append import append
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.sessions import create_session, find_session

pytestmark = [pytest.mark.crash, pytest.mark.postgres, pytest.mark.timeout(3000)]

FULL = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"
SERVER_KILLS = 20 if FULL else 3
WRITER_KILLS = 500 if FULL else 24
FOREVER = 10**9
WRITERS: list[Mapping[str, Any]] = [
    {"kind": "appends"},
    {"kind": "appends", "shared": True},
    {"kind": "appends", "shared": True},
    {"kind": "groups"},
    {"kind": "groups", "shared": True},
    {"kind": "groups", "shared": True},
    {"kind": "sessions"},
    {"kind": "sessions"},
]


@pytest.fixture
def durable_server() -> Iterator[PostgresServer]:
    server = PostgresServer(durable=True)
    try:
        yield server
    finally:
        server.close()


def test_kills_of_writers_and_of_the_server_lose_nothing_acknowledged(
    durable_server: PostgresServer, tmp_path: Path, figures: Figures
) -> None:
    url = durable_server.local_url(durable_server.create())
    open_database(url).close()
    chance = random.Random(11)

    def start(numbers: list[int]) -> list[int]:
        works = [("lasting", url, FOREVER, {**WRITERS[number], "journal": str(tmp_path)}) for number in numbers]
        return pool.start(works)

    with WorkerPool() as pool:
        pids = start(list(range(len(WRITERS))))
        for round_ in range(SERVER_KILLS):
            until = WRITER_KILLS * (round_ + 1) // SERVER_KILLS - len(pool.codes)
            for number in range(until):
                if number == until // 2:
                    # some writers die while it is away, the others find out
                    durable_server.stop(signal.SIGQUIT)
                time.sleep(chance.uniform(0.0, 0.08))
                victim = chance.randrange(len(pids))
                pool.kill(pids[victim])
                [pids[victim]] = start([victim])
                if number == until // 2:
                    durable_server.start()
            seen = count_of(pool, "message")
            wait_for_more(pool, seen)
        for pid in pids:
            pool.kill(pid)
        assert set(pool.codes) == {-9}, [event for event in pool.events if "crash" in event][:3]
    events = read_journals(tmp_path)
    assert_kept(url, events)
    told = {name: sum(name in event for event in events) for name in ("message", "began", "refused", "unknown")}
    figures(f"{len(pool.codes)} kills of writers and {SERVER_KILLS} of the server: {told}, 0 lost, 0 doubled")
    assert told["message"] > WRITER_KILLS


def count_of(pool: WorkerPool, name: str) -> int:
    return sum(name in event for event in list(pool.events))


def wait_for_more(pool: WorkerPool, seen: int) -> None:
    """Writers continue by themselves after the server came back."""
    deadline = time.monotonic() + 60
    while count_of(pool, "message") < seen + len(WRITERS):
        assert time.monotonic() < deadline, pool.events[-3:]
        time.sleep(0.02)


def read_journals(folder: Path) -> list[Event]:
    """What the writers noted on disk; a kill may cut the last line of one."""
    events = []
    for path in folder.glob("*.jsonl"):
        whole, _, _ = path.read_text().rpartition("\n")
        events += [json.loads(line) for line in whole.splitlines()]
    return events


def assert_kept(url: str, events: list[Event]) -> None:
    """All that was acknowledged is stored once, nothing that was refused is stored, and a reader sees each once."""
    with open_database(url) as db:
        assert check(db.conn, events).violations == ()
        refused = [event["refused"] for event in events if "refused" in event]
        for table in ("messages", "sessions"):
            stored = db.conn.all(_AMONG.format(table), {"ids": json.dumps(refused)})
            assert stored == [], table
        branch = db.write(begin)
        db.write(lambda conn: append(conn, branch.id, said("the next one")))
        assert check(db.conn, events).violations == ()
        newest = db.read(lambda conn: conn.value("SELECT max(seq) FROM changes"))
    with open_tail(url, 0) as tail:
        seqs: list[int] = []
        while rows := tail.look().rows:
            seqs += [row.seq for row in rows]
    assert seqs == list(range(1, newest + 1))


_AMONG = "SELECT t.id FROM json_each(:ids) j JOIN {} t ON t.id = j.value"


def test_number_of_a_lost_transaction_is_not_taken_for_that_of_another(durable_server: PostgresServer) -> None:
    """A crash forgets the number of a transaction that was not on disk, and the next transaction gets it."""
    with durable_server.admin() as admin:
        admin.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
        admin.execute("SELECT pg_reload_conf()")
    url = durable_server.local_url(durable_server.create())
    numbers: list[str | None] = []

    def lose(conn: Connection) -> None:
        assert isinstance(conn, PostgresConnection)
        create_session(conn, Session(id="lost"))
        numbers.append(conn.transaction_id)
        durable_server.stop(signal.SIGQUIT)
        durable_server.start()
        with open_database(url) as other:
            other.write(lambda conn: create_session(conn, Session(name="other")))
            assert isinstance(other.conn, PostgresConnection)
            numbers.append(other.conn.transaction_id)

    with open_database(url) as db:
        for _ in range(10):  # something else may write to disk meanwhile
            numbers.clear()
            with pytest.raises(StorageFailed):
                db.write(lose)
            assert db.read(lambda conn: find_session(conn, "lost")) is None
            if numbers[0] == numbers[1]:
                return
    pytest.fail("no number was given twice")
