"""Tail: follow the change feed of one database from another process, woken by the doorbell or by polling."""

from __future__ import annotations

import select
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from lionstudio.state.connection import LIBRARY_ERRORS, plain_errors
from lionstudio.state.feed.changes import BATCH, Changes, changes_after, last_seq
from lionstudio.state.sqlite.doorbell import Listener
from lionstudio.state.sqlite.open import open_reader

# The longest time that a change without a bell goes unseen; each poll costs 0.15 ms of a cold processor.
POLL_SECONDS = 0.055


class Tail:
    """Reads new changes; it holds no transaction between two reads."""

    def __init__(self, path: str, after: int | None = None) -> None:
        # listen before reading: a commit in between rings
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
        """The changes since the last call; cheap when there are none."""
        with plain_errors(self._conn.path):
            self._listener.drain()
            version = self._data_version()
            if version == self._version:
                return Changes((), self.last)
            changes = changes_after(self._conn, self.last, BATCH)
            if len(changes.rows) < BATCH:
                self._version = version
            self.last = changes.last_seq
            return changes

    def _data_version(self) -> int:
        # `get` takes the row and ends the statement: an open statement would keep the log from being checkpointed
        version: int = self._conn.run("PRAGMA data_version").get
        return version

    def wait(self, timeout: float) -> Changes:
        """Wait for changes; empty after the timeout."""
        deadline = time.monotonic() + timeout
        changes = self.look()
        while not changes.rows and not changes.resync:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                break
            if self._poll.poll(min(POLL_SECONDS, remaining) * 1000) or self._may_have_news():
                changes = self.look()
        return changes

    def __iter__(self) -> Iterator[Changes]:
        """Yield batch after batch, forever."""
        while True:
            changes = self.wait(3600)
            if changes.rows or changes.resync:
                yield changes

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Call `wake` on the running event loop whenever `look` may return changes."""
        import asyncio

        loop, bell = asyncio.get_running_loop(), self.bell
        timer: asyncio.TimerHandle

        def poll() -> None:
            nonlocal timer
            timer = loop.call_later(POLL_SECONDS, poll)
            if self._may_have_news():
                wake()

        poll()
        if bell is not None:
            loop.add_reader(bell, wake)
        try:
            yield
        finally:
            timer.cancel()
            if bell is not None:
                loop.remove_reader(bell)

    def _may_have_news(self) -> bool:
        try:
            return self._data_version() != self._version
        except LIBRARY_ERRORS:
            return True  # the `look` that follows raises it as our own error

    async def follow(self) -> AsyncIterator[Changes]:
        """Yield batch after batch on an event loop."""
        import asyncio

        rang = asyncio.Event()
        with self.waking(rang.set):
            while True:
                rang.clear()
                changes = self.look()
                if changes.rows or changes.resync:
                    yield changes
                else:
                    await rang.wait()

    def close(self) -> None:
        self._listener.close()
        self._conn.close()

    def __enter__(self) -> Tail:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
