"""One tail of the change feed for the whole server, and a bounded queue for each client.

A client that does not keep up loses its queue and is told to fetch anew; it never costs more than its 256 events,
and those are the same bytes for all clients.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from lionstudio.errors import Busy, LionError
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change, Tail
from lionstudio.studio.db import StudioDb, identity_of
from lionstudio.studio.live.payload import change_event, message_event

MOST_QUEUED = 256
MOST_CLIENTS = 2000
_CHUNK = 64  # changes handed out before clients get a turn
_TAKEN = 16  # events in one piece for a client
_PATIENCE = 0.25  # seconds for which a burst waits for clients that still read
_RETRY_SECONDS = 0.25
_OPENING_SECONDS = 3.0  # a page that was quicker than the database


class HubEvent(NamedTuple):
    """A framed event, and the change it came from."""

    change: Change
    piece: bytes


class Subscriber:
    """One client: which changes it wants, and what waits for it."""

    def __init__(self, wants: Callable[[Change], bool], *, whole: bool) -> None:
        self.wants, self.whole = wants, whole
        self.queue: deque[HubEvent] = deque()
        self.ready = asyncio.Event()
        self.dropped = False
        self.lagging = False

    def put(self, event: HubEvent) -> None:
        """Queue an event; when there is no room, everything is given up."""
        if self.dropped:
            return
        if len(self.queue) >= MOST_QUEUED:
            self.drop()
            return
        self.queue.append(event)
        self.ready.set()

    def drop(self) -> None:
        """From now on it can only be told to fetch anew."""
        self.queue.clear()
        self.dropped = True
        self.ready.set()

    def take(self) -> list[HubEvent]:
        """The next of what waits; few at a time, because what is on its way to one client is a copy of its own."""
        taken = [self.queue.popleft() for _ in range(min(_TAKEN, len(self.queue)))]
        if not self.queue:
            self.ready.clear()
            self.lagging = False
        return taken


class Hub:
    """Follows the database and hands its changes to every subscriber."""

    def __init__(self, store: StudioDb) -> None:
        self._store = store
        self._subscribers: set[Subscriber] = set()
        self.seq: int | None = None
        self._following = asyncio.Event()
        self._rang = asyncio.Event()
        self.closing = asyncio.Event()

    @property
    def client_count(self) -> int:
        """How many listen."""
        return len(self._subscribers)

    async def wait_until_ready(self) -> None:
        """Wait a moment for the database to be followed; Busy when nobody can be served."""
        await _either(self._following, _OPENING_SECONDS)
        self._check_open()

    def _check_open(self) -> int:
        if self.seq is None or self.closing.is_set():
            raise Busy("the database cannot be followed right now", hint="it is tried again all the time")
        if len(self._subscribers) >= MOST_CLIENTS:
            raise Busy(f"{MOST_CLIENTS} clients listen already", hint="close a page")
        return self.seq

    @asynccontextmanager
    async def subscribe(self, subscriber: Subscriber) -> AsyncIterator[int]:
        """Listen for the time of the block; gives the seq after which events are queued."""
        joined = self._check_open()
        self._subscribers.add(subscriber)
        try:
            yield joined
        finally:
            self._subscribers.discard(subscriber)

    async def run(self) -> None:
        """Follow until the server stops, whatever happens to the file."""
        while not self.closing.is_set():
            identity = identity_of(self._store.path)
            try:
                with Tail(self._store.path) as tail:
                    if identity_of(self._store.path) == identity:
                        await self._follow(tail, identity)
            except LionError:
                pass  # not there, locked or damaged: routes say so, and it is looked at again
            self.seq = None
            self._following.clear()
            if not self.closing.is_set():
                self._lose_all()
            await _either(self.closing, _RETRY_SECONDS)

    async def _follow(self, tail: Tail, identity: tuple[int, int] | None) -> None:
        loop, rang = asyncio.get_running_loop(), self._rang
        with tail.waking(rang.set):
            self.seq = tail.last
            self._following.set()
            looked = 0.0
            while not self.closing.is_set():
                if loop.time() - looked > _RETRY_SECONDS:
                    looked = loop.time()
                    if identity_of(self._store.path) != identity:
                        return
                rang.clear()
                found = tail.look()
                if found.resync:
                    self._lose_all()
                    self.seq = found.last_seq
                elif found.rows:
                    await self._spread(found.rows)
                else:
                    await _either(rang, _RETRY_SECONDS)

    async def _spread(self, rows: tuple[Change, ...]) -> None:
        for start in range(0, len(rows), _CHUNK):
            chunk = rows[start : start + _CHUNK]
            if self._subscribers:
                await self._wait_for_room()
                with self._store.reader() as conn:
                    self._hand_out(conn, chunk)
            self.seq = chunk[-1].seq
            await asyncio.sleep(0)

    def _hand_out(self, conn: Connection, chunk: tuple[Change, ...]) -> None:
        for change in chunk:
            wanting = [each for each in self._subscribers if not each.dropped and each.wants(change)]
            for whole in (True, False):
                some = [each for each in wanting if each.whole is whole]
                if some:
                    event = HubEvent(change, message_event(conn, change) if whole else change_event(change))
                    for each in some:
                        each.put(event)

    async def _wait_for_room(self) -> None:
        """A burst must not cost those their place who read as fast as they can."""
        deadline = asyncio.get_running_loop().time() + _PATIENCE
        while True:
            full = [
                each
                for each in self._subscribers
                if len(each.queue) > MOST_QUEUED - _CHUNK and not each.lagging and not each.dropped
            ]
            if not full:
                return
            if asyncio.get_running_loop().time() > deadline:
                for each in full:
                    each.lagging = True
                return
            await asyncio.sleep(0.005)

    def _lose_all(self) -> None:
        for each in self._subscribers:
            each.drop()

    def close(self) -> None:
        """Stop following; every stream ends."""
        self.closing.set()
        self._rang.set()
        for each in self._subscribers:
            each.ready.set()


async def _either(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, but not longer than that."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
