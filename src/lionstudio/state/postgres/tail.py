"""Follow the change feed of a PostgreSQL database: woken by LISTEN, with a look every 50 ms as the net."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from lionstudio.state.connection import plain_errors
from lionstudio.state.feed.changes import BATCH, Changes, changes_after, last_seq
from lionstudio.state.postgres.bell import CHANNEL
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.postgres.open import open_reader
from lionstudio.state.sqlite.tail import Tail

LOOK_SECONDS = 0.05
_SLOW_SECONDS = 2.0  # between two looks while the reader is idle


def _nothing() -> object:
    return None


class PostgresTail(Tail):
    """The same calls as `Tail`; `watched` means nothing here."""

    def __init__(self, path: str, after: int | None = None, *, watched: bool = True) -> None:
        self._path = path
        self._rung = False
        self._wake: Callable[[], object] = _nothing
        self._arm: Callable[[], object] = _nothing
        self._conn: PostgresConnection = self._listen()
        with plain_errors(path):
            self.last = last_seq(self._conn) if after is None else after

    def _listen(self) -> PostgresConnection:
        conn = open_reader(self._path)
        if not conn.pooled:  # the session that would listen is not ours: looks remain
            conn.pg.add_notify_handler(self._note_bell)
            with plain_errors(self._path):
                conn.run(f"LISTEN {CHANNEL}")
        return conn

    def _note_bell(self, _: psycopg.Notify) -> None:
        self._rung = True

    @property
    def bell(self) -> int | None:
        return None if self._conn.pg.closed else self._conn.pg.fileno()

    def look(self) -> Changes:
        if self._conn.pg.closed or self._conn.pg.broken:
            self._conn = self._listen()
        while True:
            self._rung = False
            with plain_errors(self._path):
                changes = changes_after(self._conn, self.last, BATCH)
            # a bell that came with the answer may be that of a commit after it, and does not ring again
            if changes.rows or changes.resync or not self._rung:
                self.last = changes.last_seq
                if self._rung or len(changes.rows) >= BATCH:
                    self._wake()
                self._arm()
                return changes

    def wait(self, timeout: float) -> Changes:
        deadline, delay = time.monotonic() + timeout, LOOK_SECONDS
        changes = self.look()
        while not changes.rows and not changes.resync:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                break
            with plain_errors(self._path):
                select.select([self._conn.pg], [], [], min(delay, remaining))
            delay = min(2 * delay, _SLOW_SECONDS)  # a look without a bell finds only the commit of a killed writer
            changes = self.look()
        return changes

    @contextmanager
    def waking(self, wake: Callable[[], object], is_idle: Callable[[], bool] = lambda: False) -> Iterator[None]:
        import asyncio

        loop, bell = asyncio.get_running_loop(), self.bell
        timer: asyncio.TimerHandle | None = None

        def arm() -> None:
            """Wake the reader after a while; a look before that is as good."""
            nonlocal timer
            if timer is not None:
                timer.cancel()
            timer = loop.call_later(_SLOW_SECONDS if is_idle() else LOOK_SECONDS, poll)

        def poll() -> None:
            arm()
            wake()

        poll()
        self._wake, self._arm = wake, arm
        if bell is not None:
            loop.add_reader(bell, wake)
        try:
            yield
        finally:
            self._wake = self._arm = _nothing
            if timer is not None:
                timer.cancel()
            if bell is not None:
                loop.remove_reader(bell)

    def close(self) -> None:
        self._conn.close()
