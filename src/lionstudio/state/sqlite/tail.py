"""Tail: follow the change feed of one database from another process.

Woken by the doorbell, or by the log that grows (inotify: a writer that does not ring); a slow poll misses nothing.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from lionstudio.state.connection import LIBRARY_ERRORS, plain_errors
from lionstudio.state.feed.changes import BATCH, Changes, changes_after, last_seq
from lionstudio.state.sqlite.doorbell import Listener
from lionstudio.state.sqlite.open import open_reader
from lionstudio.system.watch_tree import REPLACED, WRITTEN, watch_paths

# Without inotify, the longest time that a change without a bell goes unseen; a poll costs 0.15 ms of a cold processor.
POLL_SECONDS = 0.055
SLOW_SECONDS = 2.0
# The log grows a moment before its commit can be read, and its writer rings right after: look a little later, and then
# less and less often. A new reader begins like that too, because writers list the bells now and then.
_FIRST_LOOK_SECONDS = 0.005


class Tail:
    """Reads new changes; it holds no transaction between two reads.

    One that is not `watched` waits for bells, and polls slowly when its reader says that it is idle: the system allows
    few inotify instances.
    """

    def __init__(self, path: str, after: int | None = None, *, watched: bool = True) -> None:
        # listen before reading: a commit in between rings
        self._listener = Listener(path)
        try:
            self._conn = open_reader(path)
        except BaseException:
            self._listener.close()
            raise
        self.last = last_seq(self._conn) if after is None else after
        self._version = -1
        # the log exists: it was read
        self._file = os.path.realpath(path)
        self._watch = watch_paths({self._file: REPLACED, f"{self._file}-wal": WRITTEN}) if watched else None
        self._delay = _FIRST_LOOK_SECONDS
        self._poll, self._bell_poll = select.poll(), select.poll()
        if self.bell is not None:
            self._poll.register(self.bell, select.POLLIN)
            self._bell_poll.register(self.bell, select.POLLIN)
        if self._watch is not None:
            self._poll.register(self._watch, select.POLLIN)

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
            ready = {descriptor for descriptor, _ in self._poll.poll(min(self._delay, remaining) * 1000)}
            if self._watch is not None and ready == {self._watch.fileno()}:
                ready = {descriptor for descriptor, _ in self._bell_poll.poll(_FIRST_LOOK_SECONDS * 1000)}
                self._drain_watch()
            elif not ready:
                self._delay = self._next_delay()
            if self.bell in ready or self._may_have_news():
                changes = self.look()
        return changes

    def _next_delay(self, *, idle: bool = False) -> float:
        """The time to the next poll: longer and longer while nothing happens."""
        return min(2 * self._delay, SLOW_SECONDS if idle or self._watch is not None else POLL_SECONDS)

    def _drain_watch(self) -> bool:
        """Begin to look often again; returns whether the file may have been replaced."""
        assert self._watch is not None
        self._delay = _FIRST_LOOK_SECONDS
        return self._file in self._watch.drain()

    def __iter__(self) -> Iterator[Changes]:
        """Yield batch after batch, forever."""
        while True:
            changes = self.wait(3600)
            if changes.rows or changes.resync:
                yield changes

    @contextmanager
    def waking(self, wake: Callable[[], object], is_idle: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Call `wake` on the running event loop whenever `look` may return changes, or the file may be another."""
        import asyncio

        loop, bell, watch = asyncio.get_running_loop(), self.bell, self._watch
        timer: asyncio.TimerHandle

        def poll() -> None:
            nonlocal timer
            self._delay = self._next_delay(idle=is_idle())
            timer = loop.call_later(self._delay, poll)
            if self._may_have_news():
                wake()

        def on_growth() -> None:
            """Look in a moment, once for all that is written meanwhile."""
            nonlocal timer
            assert watch is not None
            loop.remove_reader(watch)
            timer.cancel()
            timer = loop.call_later(_FIRST_LOOK_SECONDS, after_growth)

        def after_growth() -> None:
            if watch is None or self._watch is None:
                return  # closed meanwhile
            if self._drain_watch():
                wake()
            loop.add_reader(watch, on_growth)
            poll()

        poll()
        if bell is not None:
            loop.add_reader(bell, wake)
        if watch is not None:
            loop.add_reader(watch, on_growth)
        try:
            yield
        finally:
            timer.cancel()
            for item in (bell, watch):
                if item is not None:
                    loop.remove_reader(item)

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
        if self._watch is not None:
            self._watch.close()
            self._watch = None
        self._conn.close()

    def __enter__(self) -> Tail:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
