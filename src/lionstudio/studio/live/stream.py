"""A client's stream: what it missed, from the table; then what comes, from its queue; each change exactly once."""

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
    """What a stream is about: which ids (None: everything), whole messages or not, and when it has ended."""

    ids: Callable[[], frozenset[str] | None]
    whole: bool = False
    # the status it ended with, None while it goes on or when it never ends
    ended: Callable[[Connection], str | None] = lambda conn: None
    # changes of these entities may mean the end
    ends_by: str = ""
    # what else must hold for a change
    also: Callable[[Change], bool] = lambda change: True

    def wants(self, change: Change) -> bool:
        """Whether a change concerns it."""
        ids = self.ids()
        return (ids is None or change.entity_id in ids or change.parent_id in ids) and self.also(change)


async def stream(store: StudioDb, feed: Hub, subject: StreamSubject, after: int | None) -> AsyncIterator[bytes]:
    """Events after a seq (from now on, when none is given) until the subject ends or the client falls behind."""
    subscriber = Subscriber(subject.wants, whole=subject.whole)
    async with feed.subscribe(subscriber) as joined:
        yield OPENING
        last = joined if after is None else after
        if not store.read(lambda conn: can_follow(conn, last))[0]:
            yield _resync(joined)
            return
        while missed := _missed(store, subject, last, joined):
            last = missed[-1][0].seq
            yield b"".join(piece for change, piece in missed if subject.also(change))
        ending = _ending(store, subject)
        while True:
            if subscriber.dropped:
                yield _resync(feed.seq or last)
                return
            fresh = [event for event in subscriber.take() if event.change.seq > last]
            if fresh:
                last = fresh[-1].change.seq
                yield b"".join(event.piece for event in fresh)
                if any(event.change.entity == subject.ends_by for event in fresh):
                    ending = _ending(store, subject)
                continue
            if feed.closing.is_set():
                return
            # everything up to the moment at which it was seen to have ended has been handed out
            if ending is not None and (feed.seq or 0) >= ending[1]:
                yield frame("done", encode_json({"status": ending[0], "seq": ending[1]}), max(last, ending[1]))
                return
            if not await _woken(subscriber, HEARTBEAT_SECONDS if ending is None else 0.05):
                yield HEARTBEAT


def _missed(store: StudioDb, subject: StreamSubject, after: int, upto: int) -> list[tuple[Change, bytes]]:
    """The next changes from the table, framed as the feed would."""
    if after >= upto:
        return []
    with store.reader() as conn:
        found: Iterable[Change] = changes_between(conn, after, upto, _BATCH, subject.ids())
        return [(change, message_event(conn, change) if subject.whole else change_event(change)) for change in found]


def _ending(store: StudioDb, subject: StreamSubject) -> tuple[str, int] | None:
    status, seq = store.read(subject.ended)
    return None if status is None else (status, seq)


def _resync(seq: int) -> bytes:
    return frame("resync", encode_json({"seq": seq}), seq)


async def _woken(subscriber: Subscriber, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await subscriber.ready.wait()
        return True
    except TimeoutError:
        return False
