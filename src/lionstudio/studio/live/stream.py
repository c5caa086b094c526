"""The stream of one client: missed changes from the table, then new ones from its queue, each exactly once.

Hint, then GET: the page follows `/api/events`, whose events carry only ids, and fetches what it shows. The stream of a
session carries whole messages, for clients that render nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import NamedTuple

from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change
from lionstudio.state.feed.replay import can_follow, changes_between
from lionstudio.studio.db import StudioDb
from lionstudio.studio.http.responses import encode_json
from lionstudio.studio.live.hub import Hub, Subscriber
from lionstudio.studio.live.payload import change_event, message_event
from lionstudio.studio.live.sse import HEARTBEAT, OPENING, frame

HEARTBEAT_SECONDS = 15.0
_BATCH = 64


class StreamSubject(NamedTuple):
    """The entities of a stream (ids None: all of them), whole messages or not, and the condition that ends it."""

    ids: Callable[[], frozenset[str] | None]
    whole: bool = False
    # None while the stream continues
    final_status: Callable[[Connection], str | None] = lambda conn: None
    # a change of this entity may end the stream
    ending_entity: str = ""
    # a further condition on changes
    predicate: Callable[[Change], bool] = lambda change: True

    def wants(self, change: Change) -> bool:
        """Return whether the stream includes a change."""
        ids = self.ids()
        return (ids is None or change.entity_id in ids or change.parent_id in ids) and self.predicate(change)


async def stream(store: StudioDb, hub: Hub, subject: StreamSubject, after: int | None) -> AsyncIterator[bytes]:
    """Events after a seq (None: from now on) until the subject ends or the client falls behind."""
    subscriber = Subscriber(subject.wants, whole=subject.whole)
    async with hub.subscribe(subscriber) as joined:
        yield OPENING
        last = joined if after is None else after
        if not store.read(lambda conn: can_follow(conn, last))[0]:
            yield _resync(joined)
            return
        while missed := _missed(store, subject, last, joined):
            last = missed[-1][0].seq
            yield b"".join(piece for change, piece in missed if subject.predicate(change))
        end = _find_end(store, subject)
        while True:
            if subscriber.dropped:
                yield _resync(hub.seq or last)
                return
            fresh = [event for event in subscriber.take() if event.change.seq > last]
            if fresh:
                last = fresh[-1].change.seq
                yield b"".join(event.piece for event in fresh)
                if any(event.change.entity == subject.ending_entity for event in fresh):
                    end = _find_end(store, subject)
                continue
            if hub.closing.is_set():
                return
            # every change up to the end has been sent
            if end is not None and (hub.seq or 0) >= end[1]:
                yield frame("done", encode_json({"status": end[0], "seq": end[1]}), max(last, end[1]))
                return
            if not await _wait_for_events(subscriber, HEARTBEAT_SECONDS if end is None else 0.05):
                yield HEARTBEAT
                end = end or _find_end(store, subject)  # the end of a mirrored session also depends on the clock


def _missed(store: StudioDb, subject: StreamSubject, after: int, upto: int) -> list[tuple[Change, bytes]]:
    """The next changes from the table, framed as the hub frames them."""
    if after >= upto:
        return []
    with store.reader() as conn:
        changes: Iterable[Change] = changes_between(conn, after, upto, _BATCH, subject.ids())
        return [(change, message_event(conn, change) if subject.whole else change_event(change)) for change in changes]


def _find_end(store: StudioDb, subject: StreamSubject) -> tuple[str, int] | None:
    status, seq = store.read(subject.final_status)
    return None if status is None else (status, seq)


def _resync(seq: int) -> bytes:
    return frame("resync", encode_json({"seq": seq}), seq)


async def _wait_for_events(subscriber: Subscriber, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await subscriber.ready.wait()
        return True
    except TimeoutError:
        return False
