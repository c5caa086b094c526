"""The change feed of a server under eight processes, some of whose transactions are rolled back."""

from __future__ import annotations

import os
import threading

import pytest
from tests.support.children import WorkerPool
from tests.support.invariants import check

from lionstudio.state.backends import open_database, open_tail
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change, last_seq

pytestmark = [pytest.mark.postgres, pytest.mark.crash]
SEEDS = range(20) if os.environ.get("LIONAGI_CRASH_LENGTH") == "full" else range(2)
PROCESSES, TRANSACTIONS, READERS = 8, 30, 3


class Reader:
    """Follows the feed from its beginning in a thread."""

    def __init__(self, url: str) -> None:
        self.rows: list[Change] = []
        self.error: BaseException | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._follow, args=(url,))
        self._thread.start()

    def _follow(self, url: str) -> None:
        try:
            with open_tail(url, 0) as tail:
                while True:
                    ended = self._done.is_set()
                    changes = tail.wait(0.1)
                    assert not changes.resync
                    self.rows += changes.rows
                    if ended and not changes.rows:
                        return
        except BaseException as error:
            self.error = error

    def finish(self) -> list[Change]:
        self._done.set()
        self._thread.join(60)
        if self.error is not None:
            raise self.error
        return self.rows


_ANNOUNCED = "SELECT count(*) FROM changes WHERE kind = 'appended'"


def one_moment(conn: Connection) -> tuple[int, int, int, int]:
    """The newest number, the changes, the messages that they announce, and the messages that there are."""
    return (
        last_seq(conn),
        conn.value("SELECT count(*) FROM changes"),
        conn.value(_ANNOUNCED),
        conn.value("SELECT count(*) FROM messages"),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_reader_sees_each_change_once_in_commit_order(seed: int, postgres_url: str) -> None:
    readers = [Reader(postgres_url) for _ in range(READERS)]
    with WorkerPool() as pool:
        works = [("rolling", postgres_url, TRANSACTIONS, {"seed": seed * 100 + n}) for n in range(PROCESSES)]
        pids = pool.start(works)
        with open_database(postgres_url) as db:
            for _ in range(20):
                newest, changes, announced, messages = db.read(one_moment)
                assert (newest, announced) == (changes, messages)
        pool.wait(pids)
    assert set(pool.codes) == {0}, pool.events[-3:]
    seen = [reader.finish() for reader in readers]

    with open_database(postgres_url) as db:
        newest, changes, announced, messages = db.read(one_moment)
        assert (newest, announced) == (changes, messages)
        assert check(db.conn, pool.events).violations == ()
    assert [[change.seq for change in rows] for rows in seen] == [list(range(1, newest + 1))] * READERS
    told = [event["message"] for event in pool.events if "message" in event]
    for rows in seen:
        appended = [change.entity_id for change in rows if change.kind == "appended"]
        assert sorted(appended) == sorted(told)  # nothing that was rolled back, nothing twice
        for session in {change.parent_id for change in rows if change.kind == "appended"}:
            ords = [change.ord for change in rows if change.kind == "appended" and change.parent_id == session]
            assert ords == list(range(len(ords)))
