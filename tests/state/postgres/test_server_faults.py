"""Faults of a server: timeouts of sessions, a full disk, restarts under load, long messages, keepalives."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.support.builders import begin, read, read_history, said, say, sql, write
from tests.support.postgres_server import PostgresServer
from tests.support.waiting import wait_until

from lionstudio.errors import Busy, LionError, StorageFailed
from lionstudio.state.backends import open_database, open_tail
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change
from lionstudio.state.messages.append import append
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.postgres.database import PostgresDatabase
from lionstudio.state.sessions import get_session

pytestmark = pytest.mark.postgres
FULL = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer(durable=True)
    try:
        yield server
    finally:
        server.close()


def set_timeout(url: str, name: str, milliseconds: int) -> None:
    """For connections that are opened from now on."""
    database = url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(f"ALTER DATABASE \"{database}\" SET {name} = '{milliseconds}ms'")


_OTHERS = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE %s
"""


def wait_until_ended(url: str, which: str = "") -> None:
    """Until the server has ended all other sessions, or those in a state."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("SET idle_session_timeout = 0")
        wait_until(lambda: conn.execute(_OTHERS, (f"{which}%",)).fetchone() == (0,))


def test_idle_session_timeout_is_survived(postgres_url: str) -> None:
    set_timeout(postgres_url, "idle_session_timeout", 1000)
    with open_database(postgres_url) as db, open_tail(postgres_url, 0) as tail:
        _, branch = begin(db)
        assert read(db, get_session, "s").id == "s"
        seen = len(tail.look().rows)
        wait_until_ended(postgres_url)

        say(db, branch, "a")
        assert read_history(db, branch) == ["a"]

        async def submit() -> None:
            await db.submit(lambda conn: append(conn, branch, said(id="b")))

        wait_until_ended(postgres_url)
        asyncio.run(submit())
        assert read_history(db, branch) == ["a", "b"]
        rows: list[Change] = []
        for _ in range(10):  # the look that learns it may say so
            try:
                rows += tail.wait(5).rows
                break
            except StorageFailed:
                continue
        assert seen > 0
        assert [row.entity_id for row in rows if row.kind == "appended"] == ["a", "b"]


def test_timeout_inside_a_transaction_is_told_and_stores_nothing(postgres_url: str) -> None:
    set_timeout(postgres_url, "idle_in_transaction_session_timeout", 100)
    with open_database(postgres_url) as db:
        _, branch = begin(db)

        def sleep(conn: Connection) -> None:
            append(conn, branch, said(id="lost"))
            wait_until_ended(postgres_url, "idle in transaction")

        def read_slowly(conn: Connection) -> None:
            conn.value("SELECT count(*) FROM messages")
            time.sleep(0.5)
            conn.value("SELECT count(*) FROM messages")

        with pytest.raises(StorageFailed):
            db.write(sleep)
        with pytest.raises(StorageFailed):
            db.read(read_slowly)
        say(db, branch, "next")
        assert read_history(db, branch) == ["next"]


def test_writer_that_stands_still_lets_go_of_the_write_lock(postgres_url: str) -> None:
    with open_database(postgres_url) as db:
        assert db.write(lambda conn: conn.value("SHOW idle_in_transaction_session_timeout")) == "30s"
    set_timeout(postgres_url, "idle_in_transaction_session_timeout", 700)
    with open_database(postgres_url) as db:
        assert db.write(lambda conn: conn.value("SHOW idle_in_transaction_session_timeout")) == "700ms"


def test_writers_continue_after_the_server_was_restarted_under_load(server: PostgresServer) -> None:
    url = server.local_url(server.create())
    with open_database(url) as db:
        branches = [begin(db, f"s{number}").branch_id for number in range(4)]
    acknowledged: list[list[str]] = [[] for _ in branches]
    refused: list[LionError] = []
    done = threading.Event()

    def work(number: int) -> None:
        step = 0
        with open_database(url) as db:
            while not done.is_set():
                step += 1
                try:
                    acknowledged[number] += say(db, branches[number], f"{number}.{step}")
                except (Busy, StorageFailed) as error:
                    refused.append(error)
                    time.sleep(0.02)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        counts = [len(told) for told in acknowledged]
        wait_until(lambda counts=counts: all(len(told) > n + 3 for told, n in zip(acknowledged, counts, strict=True)))  # type: ignore[misc]
        server.stop()  # in order: the open transactions are cut
        server.start()
    counts = [len(told) for told in acknowledged]
    wait_until(lambda: all(len(told) > n + 3 for told, n in zip(acknowledged, counts, strict=True)))
    done.set()
    for thread in threads:
        thread.join(60)
    with open_database(url) as db:
        assert [read_history(db, branch) for branch in branches] == acknowledged
    assert refused
    assert all(error.hint for error in refused)


def test_full_disk_of_the_server_is_told_and_recovers(server: PostgresServer) -> None:
    """A tablespace on a small file system of its own; the log of the server is elsewhere."""
    folder = Path(server.folder) / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m,mode=777", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        space = folder / "space"
        space.mkdir()
        shutil.chown(space, *Path(server.folder).stat()[4:6])
        with server.admin() as admin:
            admin.execute(f"CREATE TABLESPACE small LOCATION '{space}'")
            admin.execute("CREATE DATABASE full_disk OWNER lion TEMPLATE template0 TABLESPACE small")
        with open_database(server.local_url("full_disk")) as db:
            _, branch = begin(db)
            say(db, branch, "before")
            (folder / "filler").write_bytes(b"x" * (shutil.disk_usage(folder).free - 200_000))
            large = "".join(f"{n:x}-" for n in range(100_000))
            with pytest.raises(StorageFailed, match="is full") as refusal:
                say(db, branch, *(f"large{number}" for number in range(40)), metadata={"text": large})
            assert "free some space" in str(refusal.value.hint)
            stored = read_history(db, branch)
            assert [entry.ord for entry in read(db, messages_after, "s")] == list(range(len(stored)))
            (folder / "filler").unlink()
            say(db, branch, "after")
            assert read_history(db, branch) == [*stored, "after"]
            assert sql(db, "SELECT max(seq) - count(*) FROM changes") == [(0,)]
    finally:
        with server.admin() as admin:
            admin.execute("DROP DATABASE IF EXISTS full_disk WITH (FORCE)")
            admin.execute("DROP TABLESPACE IF EXISTS small")
        server.stop()  # it may have files open there
        subprocess.run(["umount", str(folder)], check=True)
        server.start()


@pytest.mark.crash
def test_long_message_is_stored_whole(postgres_url: str) -> None:
    """100 MB at full length."""
    text = "0123456789" * (10_000_000 if FULL else 800_000)
    with open_database(postgres_url) as db:
        _, branch = begin(db)
        write(db, append, branch, said(text, id="long"))
        [entry] = read(db, messages_after, "s")
        assert entry.message is not None
        assert entry.message.content["instruction"] == text


def test_connection_notices_a_server_that_is_gone(postgres_server: PostgresServer, postgres_url: str) -> None:
    """The kernel asks an idle server whether it is there; an address may say otherwise."""
    name = postgres_url.partition("?")[0].rpartition("/")[2]
    for more, expected in (("", 20), ("?keepalives_idle=77", 77)):
        with open_database(postgres_server.url(name) + more) as db:
            assert isinstance(db, PostgresDatabase)
            with socket.socket(fileno=os.dup(db.conn.pg.fileno())) as end:
                assert end.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == expected
                assert end.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
