"""The change feed: numbered rows written with every commit, read in order, never doubled, never skipped.

A reader keeps the last seq it saw. When that was trimmed away, or the file was replaced, it is told to
refetch instead of being left with a hole.
"""

from __future__ import annotations

import select
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from lionstudio.state.connection import LIBRARY_ERRORS, Connection, plain_errors
from lionstudio.state.sqlite.doorbell import Listener
from lionstudio.state.sqlite.open import open_reader

KEEP_ROWS = 200_000
KEEP_SECONDS = 7 * 86400
NET_SECONDS = 0.055  # how long a change without a bell may go unseen; each look costs 0.15 ms of a cold processor
_BATCH = 1000


class Change(NamedTuple):
    """One row of the feed."""

    seq: int
    at: float
    kind: str
    entity: str
    entity_id: str
    parent_id: str | None
    ord: int | None


class Changes(NamedTuple):
    """What came after a seq; `resync` means rows are missing and the reader must fetch anew."""

    rows: tuple[Change, ...]
    last_seq: int
    resync: bool = False


_AFTER = """
SELECT seq, at, kind, entity, entity_id, parent_id, ord FROM changes WHERE seq > :after ORDER BY seq LIMIT :limit
"""


def last_seq(conn: Connection) -> int:
    """The newest seq; whoever reads the state and this in one transaction can follow from here."""
    return int(conn.value("SELECT coalesce(max(seq), 0) FROM changes"))


def changes_after(conn: Connection, after: int, limit: int = _BATCH) -> Changes:
    """The rows that follow a seq."""
    rows = tuple(Change(*row) for row in conn.all(_AFTER, {"after": after, "limit": limit}))
    if rows and rows[-1].seq - after == len(rows):
        return Changes(rows, rows[-1].seq)
    newest = last_seq(conn)
    if not rows and newest >= after:
        return Changes((), after)  # what was committed since the first look comes with the next
    # trimmed past the reader, a hole made by another tool, or a file that is younger than the reader's memory
    return Changes((), newest, resync=True)


_TRIM = """
DELETE FROM changes WHERE seq IN (
  SELECT seq FROM changes
   WHERE seq < (SELECT max(seq) FROM changes)
     AND (seq <= (SELECT max(seq) FROM changes) - :rows
          OR seq < coalesce((SELECT seq FROM changes WHERE at >= :before ORDER BY seq LIMIT 1), 9223372036854775807))
   ORDER BY seq LIMIT :most)
"""
_MOST_AT_ONCE = 20_000  # a trim must not hold the write lock for long


def trim(conn: Connection, *, rows: int = KEEP_ROWS, seconds: float = KEEP_SECONDS) -> None:
    """Drop old rows from the front of the feed; the newest always stays, so that no seq is used twice.

    Only from the front: an imported message bears an old time, and a hole behind newer rows would go unseen.
    """
    conn.execute(_TRIM, {"rows": rows, "before": time.time() - seconds, "most": _MOST_AT_ONCE})


class Tail:
    """Follows one database from another process: bell first, net always, no transaction held between looks."""

    def __init__(self, path: str, after: int | None = None) -> None:
        # listen before looking: a commit in between rings
        self._listener = Listener(path)
        try:
            self._conn = open_reader(path)
        except BaseException:
            self._listener.close()
            raise
        self.last = last_seq(self._conn) if after is None else after
        self._version = -1
        self._poll = select.poll()
        if self.bell is not None:
            self._poll.register(self.bell, select.POLLIN)

    @property
    def bell(self) -> int | None:
        """The descriptor that becomes readable after a commit, for an event loop."""
        return None if self._listener.socket is None else self._listener.socket.fileno()

    def look(self) -> Changes:
        """What is new right now; cheap when nothing is."""
        with plain_errors(self._conn.path):
            self._listener.drain()
            version = self._data_version()
            if version == self._version:
                return Changes((), self.last)
            found = changes_after(self._conn, self.last)
            if len(found.rows) < _BATCH:
                self._version = version
            self.last = found.last_seq
            return found

    def _data_version(self) -> int:
        # `get` takes the row and ends the statement: one that is left open would keep the log from being folded back
        version: int = self._conn.run("PRAGMA data_version").get
        return version

    def wait(self, timeout: float) -> Changes:
        """Wait for changes; returns none of them when the time is up."""
        deadline = time.monotonic() + timeout
        found = self.look()
        while not found.rows and not found.resync:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            if self._poll.poll(min(NET_SECONDS, left) * 1000) or self._may_have_news():
                found = self.look()
        return found

    def __iter__(self) -> Iterator[Changes]:
        """Batch after batch, for ever."""
        while True:
            found = self.wait(3600)
            if found.rows or found.resync:
                yield found

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Have something called on the running event loop whenever a look may find news; the net is cast in between."""
        import asyncio

        loop, bell = asyncio.get_running_loop(), self.bell
        net: asyncio.TimerHandle

        def cast() -> None:
            nonlocal net
            net = loop.call_later(NET_SECONDS, cast)
            if self._may_have_news():
                wake()

        cast()
        if bell is not None:
            loop.add_reader(bell, wake)
        try:
            yield
        finally:
            net.cancel()
            if bell is not None:
                loop.remove_reader(bell)

    def _may_have_news(self) -> bool:
        try:
            return self._data_version() != self._version
        except LIBRARY_ERRORS:
            return True  # the look that follows says it in our words

    async def follow(self) -> AsyncIterator[Changes]:
        """The same on an event loop."""
        import asyncio

        rang = asyncio.Event()
        with self.waking(rang.set):
            while True:
                rang.clear()
                found = self.look()
                if found.rows or found.resync:
                    yield found
                else:
                    await rang.wait()

    def close(self) -> None:
        """Stop following."""
        self._listener.close()
        self._conn.close()

    def __enter__(self) -> Tail:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
