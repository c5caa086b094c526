"""Limits of request bodies: a body is read completely, within a size and a time, before a route starts."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lionstudio.studio.http.error_responses import problem_response

MOST_BYTES = 1_000_000
SECONDS = 10.0


class BodyLimit:
    """Refuses a body that is too large or arrives too slowly."""

    def __init__(self, app: ASGIApp, seconds: float = SECONDS) -> None:
        self.app, self._seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if _content_length(scope) > MOST_BYTES:
            await _too_large(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._seconds):
                body = await _read(receive)
        except TimeoutError:
            await problem_response(408, "slow_body", f"The body did not arrive within {self._seconds:.0f} s.")(
                scope, receive, send
            )
            return
        if body is None:
            await _too_large(scope, receive, send)
            return
        await self.app(scope, _replay(body, receive), send)


def _content_length(scope: Scope) -> int:
    length = Headers(scope=scope).get("content-length", "0")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 16 else MOST_BYTES + 1


async def _read(receive: Receive) -> bytes | None:
    body = b""
    while True:
        message = await receive()
        piece: bytes = message.get("body", b"")
        body += piece
        if len(body) > MOST_BYTES:
            return None
        if not message.get("more_body"):
            return body


def _replay(body: bytes, receive: Receive) -> Receive:
    bodies = [body]

    async def replay() -> Message:
        if bodies:
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}
        return await receive()

    return replay


async def _too_large(scope: Scope, receive: Receive, send: Send) -> None:
    # close: the rest of the body would be parsed as the next request
    refusal = problem_response(
        413, "body_too_large", f"A body may have at most {MOST_BYTES} bytes.", headers={"Connection": "close"}
    )
    await refusal(scope, receive, send)
