"""Framing of server-sent events, and a response that drops a client which stops reading."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from lionstudio.errors import LionError

MEDIA_TYPE = "text/event-stream"
HEARTBEAT = b": beat\n\n"
OPENING = b"retry: 1000\n\n"
STALLED_SECONDS = 20.0  # a client whose buffers stay full that long has stopped reading


def frame(event: str, data: bytes, seq: int | None = None) -> bytes:
    """One event; the data is JSON without line breaks."""
    number = b"" if seq is None else b"id: %d\n" % seq
    return b"%sevent: %s\ndata: %s\n\n" % (number, event.encode(), data)


class EventStream(Response):
    """Sends pieces until they end, the client disconnects, stops reading or is signed out (`stop`)."""

    media_type = MEDIA_TYPE

    def __init__(
        self, pieces: AsyncIterator[bytes], stop: asyncio.Event | None = None, stalled: float = STALLED_SECONDS
    ) -> None:
        super().__init__(headers={"Cache-Control": "no-store"})
        del self.headers["content-length"]
        self._pieces, self._stalled, self._stop = pieces, stalled, stop or asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(self._send(send))
                disconnect = group.create_task(_disconnected(receive))
                stop = group.create_task(self._stop.wait())
                await asyncio.wait((sending, disconnect, stop), return_when=asyncio.FIRST_COMPLETED)
                for task in (sending, disconnect, stop):
                    task.cancel()
            if sending.cancelled() and self._stop.is_set():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except* (TimeoutError, LionError):
            pass  # the client stopped reading or the database is gone: the connection closes, and the client reconnects

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for piece in self._pieces:
            async with asyncio.timeout(self._stalled):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
