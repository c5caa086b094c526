"""Behind a pooler in transaction mode every transaction may get another session of the server."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest
from tests.support.builders import T0, begin, read, read_history, said, say, write
from tests.support.pgbouncer import PROGRAM, PgBouncer
from tests.support.postgres_server import PostgresServer
from tests.support.transaction_pooler import TransactionPooler

from lionstudio.errors import Busy, LionError, StorageFailed
from lionstudio.model.messages import AssistantResponse
from lionstudio.state.backends import open_database, open_tail
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.mailboxes import inbox, send
from lionstudio.state.messages.append import append
from lionstudio.state.postgres import connection
from lionstudio.state.runs.labels import set_note
from lionstudio.state.sessions import finish_session, get_session
from lionstudio.state.upkeep.prune import plan_prune
from lionstudio.state.upkeep.remove import remove_sessions

pytestmark = pytest.mark.postgres
_COUNT = "SELECT count(*) FROM messages WHERE id <> :other"
_IDS = "SELECT id FROM messages ORDER BY pk"


@pytest.fixture(params=["ours", "pgbouncer"])
def pooled_url(request: pytest.FixtureRequest, postgres_server: PostgresServer, postgres_url: str) -> Iterator[str]:
    name = postgres_url.partition("?")[0].rpartition("/")[2]
    pooler: TransactionPooler | PgBouncer
    if request.param == "ours":
        socket = os.path.join(postgres_server.folder, f".s.PGSQL.{postgres_server.port}")
        pooler = TransactionPooler(socket, "lion", name)
    elif PROGRAM is None:
        pytest.skip("pgbouncer is not installed")
    else:
        pooler = PgBouncer(postgres_server, name)
    yield pooler.url()
    pooler.close()


class Others:
    """Clients that use the sessions of the pooler all the time, so that no transaction gets the one before."""

    def __init__(self, url: str, count: int = 3) -> None:
        self._done = threading.Event()
        self.errors: list[BaseException] = []
        self._threads = [threading.Thread(target=self._work, args=(url,)) for _ in range(count)]

    def _work(self, url: str) -> None:
        try:
            with open_database(url) as db:
                while not self._done.is_set():
                    db.read(lambda conn: conn.value(_COUNT, {"other": "none"}))
                    time.sleep(0.005)  # they share the interpreter with the test
        except BaseException as error:
            self.errors.append(error)

    def __enter__(self) -> Others:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join(30)
        assert self.errors == []


def test_processes_behind_a_pooler_share_its_sessions(pooled_url: str) -> None:
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with open_database(pooled_url) as database:
                begun = begin(database, f"s{number}")
                for turn in range(10):  # more often than it takes to prepare a statement
                    say(database, begun.branch_id, f"{number}-{turn}")
                    database.read(lambda conn: conn.value(_COUNT, {"other": "none"}))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with open_tail(pooled_url, 0) as tail:
        assert len([row for row in tail.look().rows if row.entity == "message"]) == 30


def test_each_keeps_its_cursor(pooled_url: str) -> None:
    with open_database(pooled_url) as db, Others(pooled_url):
        _, branch = begin(db)
        say(db, branch, *(f"m{n}" for n in range(60)))

        def count(conn: Connection) -> int:
            found = 0
            for (id_,) in conn.each(_IDS):
                found += conn.value("SELECT count(*) FROM messages WHERE id = :id", {"id": id_})
            return found

        with db.reader() as conn:
            assert count(conn) == 60
            assert not conn.in_transaction
            pairs = list(zip(conn.each(_IDS), conn.each(_IDS), strict=True))  # two at once
            assert [one for one, two in pairs if one == two] == [(f"m{n}",) for n in range(60)]
            assert not conn.in_transaction
            first = next(conn.each(_IDS))  # left in the middle
            assert first == ("m0",)
            assert not conn.in_transaction
        assert db.read(count) == 60
        assert db.write(count) == 60
        assert len(read_history(db, branch)) == 60


def test_temporary_tables_of_others_are_not_used(pooled_url: str) -> None:
    with open_database(pooled_url) as db, Others(pooled_url):
        begin(db, "old")
        begin(db, "kept")
        write(db, finish_session, "old", "completed")
        with pytest.raises(StorageFailed, match="pooler in transaction mode") as refusal:
            plan_prune(db.conn, before=T0 + 1e9, keep_n=0)
        assert "own port" in str(refusal.value.hint)
        assert write(db, remove_sessions, ["old"]).sessions == 1
        assert db.conn.all("SELECT id FROM sessions") == [("kept",)]


def test_every_kind_of_write_and_read(pooled_url: str) -> None:
    with open_database(pooled_url) as db, Others(pooled_url):
        _, branch = begin(db)
        for turn in range(12):
            say(db, branch, f"m{turn}")
            write(db, set_note, "s", f"note {turn}")
            write(db, send, said("to you", id=f"sent{turn}", sender="person", recipient="s"))
        assert read(db, get_session, "s").note == "note 11"
        assert len(read(db, inbox, "s")) == 12
        with pytest.raises(LionError):
            write(db, append, "no branch", AssistantResponse(id="x", content={}, created_at=T0))
        assert db.conn.value("SELECT max(seq) - count(*) FROM changes") == 0


def test_write_waits_for_the_lock_as_long_as_without_a_pooler(
    pooled_url: str, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_PATIENCE", "lock_timeout = 100")
    with open_database(pooled_url) as db, open_database(postgres_url) as holder:
        _, branch = begin(db)

        def hold(conn: Connection) -> None:
            conn.one("SELECT 1")
            for work in (lambda: write(db, set_note, "s", "a"), lambda: say(db, branch, "m")):
                with pytest.raises(Busy):
                    work()

        holder.write(hold)
        say(db, branch, "m")
        assert _setting(db) == _setting(holder, before="RESET lock_timeout")


def _setting(db: Database, before: str = "SELECT 1") -> object:
    """The setting of a session, which a transaction must not have changed for its next user."""
    db.conn.execute(before)
    return db.conn.value("SHOW lock_timeout")
