"""One tail of the change feed for the whole server, and a bounded queue for each client.

A client that does not keep up loses its queue and is told to resync; it never costs more memory than its 256 events,
and those are the same bytes for all clients.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from lionstudio.errors import Busy, LionError
from lionstudio.state.backends import identity_of, open_tail
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change
from lionstudio.state.sqlite.tail import Tail
from lionstudio.studio.db import StudioDb
from lionstudio.studio.live.payload import change_event, message_event

MOST_QUEUED = 256
MOST_CLIENTS = 2000
_CHUNK = 64  # changes delivered before clients get a turn
_BATCH = 16  # events sent to a client at once
_BURST_WAIT = 0.25  # seconds that a burst waits for clients that still read
_RETRY_SECONDS = 0.25
_CHECK_SECONDS = 5.0  # between two checks that the file was not replaced; usually the tail wakes then
_OPENING_SECONDS = 3.0  # a page may connect before the database is open


class HubEvent(NamedTuple):
    """A framed event and its change."""

    change: Change
    piece: bytes


class Subscriber:
    """One client: a filter of changes, and the queue of its events."""

    def __init__(self, wants: Callable[[Change], bool], *, whole: bool) -> None:
        self.wants, self.whole = wants, whole
        self.queue: deque[HubEvent] = deque()
        self.ready = asyncio.Event()
        self.dropped = False
        self.lagging = False

    def put(self, event: HubEvent) -> None:
        """Queue an event; a full queue drops the client."""
        if self.dropped:
            return
        if len(self.queue) >= MOST_QUEUED:
            self.drop()
            return
        self.queue.append(event)
        self.ready.set()

    def drop(self) -> None:
        """Clear the queue; the stream then tells the client to resync."""
        self.queue.clear()
        self.dropped = True
        self.ready.set()

    def take(self) -> list[HubEvent]:
        """The next events; few at a time, because the bytes on their way to a client are a copy of its own."""
        events = [self.queue.popleft() for _ in range(min(_BATCH, len(self.queue)))]
        if not self.queue:
            self.ready.clear()
            self.lagging = False
        return events


class Hub:
    """Follows the change feed of the database and delivers it to every subscriber."""

    def __init__(self, store: StudioDb, on_sign_out: Callable[[str], None] = lambda session_id: None) -> None:
        self._store, self._on_sign_out = store, on_sign_out
        self._subscribers: set[Subscriber] = set()
        self.seq: int | None = None
        self._ready = asyncio.Event()
        self._wakeup = asyncio.Event()
        self.closing = asyncio.Event()

    @property
    def client_count(self) -> int:
        return len(self._subscribers)

    async def wait_until_ready(self) -> None:
        """Wait a moment for the feed; Busy when it cannot be followed or too many clients are connected."""
        await _wait(self._ready, _OPENING_SECONDS)
        self._check_open()

    def _check_open(self) -> int:
        if self.seq is None or self.closing.is_set():
            raise Busy(
                "the change feed is not available", hint="the server retries continuously; reconnect in a moment"
            )
        if len(self._subscribers) >= MOST_CLIENTS:
            raise Busy(f"{MOST_CLIENTS} clients are connected already", hint="close some pages")
        return self.seq

    @asynccontextmanager
    async def subscribe(self, subscriber: Subscriber) -> AsyncIterator[int]:
        """Queue events for the time of the block; yields the seq after which they start."""
        joined = self._check_open()
        self._subscribers.add(subscriber)
        self._wakeup.set()  # a tail that was idle looks more often from now on
        try:
            yield joined
        finally:
            self._subscribers.discard(subscriber)

    async def run(self) -> None:
        """Follow the feed until the server stops, even if the file is replaced."""
        while not self.closing.is_set():
            identity = identity_of(self._store.path)
            try:
                with open_tail(self._store.path) as tail:
                    if identity_of(self._store.path) == identity:
                        await self._follow(tail, identity)
            except LionError:
                pass  # missing, locked or damaged: the routes report it, and the loop retries
            self.seq = None
            self._ready.clear()
            if not self.closing.is_set():
                self._drop_all()
            await _wait(self.closing, _RETRY_SECONDS)

    async def _follow(self, tail: Tail, identity: tuple[int, int] | None) -> None:
        wakeup = self._wakeup
        with tail.waking(wakeup.set, is_idle=lambda: not self._subscribers):
            self.seq = tail.last
            self._ready.set()
            while not self.closing.is_set():
                wakeup.clear()
                changes = tail.look()
                if changes.resync:
                    self._drop_all()
                    self.seq = changes.last_seq
                elif changes.rows:
                    await self._publish(changes.rows)
                elif identity_of(self._store.path) != identity:
                    return
                else:
                    await _wait(wakeup, _CHECK_SECONDS)

    async def _publish(self, rows: tuple[Change, ...]) -> None:
        for start in range(0, len(rows), _CHUNK):
            chunk = rows[start : start + _CHUNK]
            for change in chunk:
                if change.entity == "studio_session" and change.kind == "deleted":
                    self._on_sign_out(change.entity_id)
            if self._subscribers:
                await self._wait_for_slow_clients()
                with self._store.reader() as conn:
                    self._deliver(conn, chunk)
            self.seq = chunk[-1].seq
            await asyncio.sleep(0)

    def _deliver(self, conn: Connection, chunk: tuple[Change, ...]) -> None:
        for change in chunk:
            interested = [client for client in self._subscribers if not client.dropped and client.wants(change)]
            for whole in (True, False):
                clients = [client for client in interested if client.whole is whole]
                if clients:
                    event = HubEvent(change, message_event(conn, change) if whole else change_event(change))
                    for client in clients:
                        client.put(event)

    async def _wait_for_slow_clients(self) -> None:
        """Wait briefly, so that a burst does not drop clients that read as fast as they can."""
        deadline = asyncio.get_running_loop().time() + _BURST_WAIT
        while True:
            full = [
                client
                for client in self._subscribers
                if len(client.queue) > MOST_QUEUED - _CHUNK and not client.lagging and not client.dropped
            ]
            if not full:
                return
            if asyncio.get_running_loop().time() > deadline:
                for client in full:
                    client.lagging = True
                return
            await asyncio.sleep(0.005)

    def _drop_all(self) -> None:
        for client in self._subscribers:
            client.drop()

    def close(self) -> None:
        """Stop following and end every stream."""
        self.closing.set()
        self._wakeup.set()
        for client in self._subscribers:
            client.ready.set()


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event or the timeout."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
