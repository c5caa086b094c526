"""Limits of connections: a client that owes us something (a head, a body, reading a response) has to hurry.

Such connections need no token. Without a limit, a thousand of them use up the descriptors of the process, and no other
client gets an answer. When there are too many, the one that has been waiting longest is closed: the head of an honest
client arrives within milliseconds.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from typing import Any, NamedTuple

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

CLIENT_SECONDS = 15.0  # for a head with its body, and for reading what was sent; longer than the limit of a body
_MOST_WAITING = 128
_MOST_BACKLOG = 128
_LOG_SECONDS = 60.0
_MOST_LOGGED = 20  # records in that time


class ConnectionLimits(NamedTuple):
    """How many connections may be open, how many of them waiting for the client, how many are accepted at once."""

    open: int
    waiting: int
    backlog: int


def connection_limits() -> ConnectionLimits:
    """A quarter of the descriptors is left for the database, files and child processes."""
    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if descriptors == resource.RLIM_INFINITY:
        descriptors = 65_536
    most = max(descriptors * 3 // 4, 8)
    return ConnectionLimits(most, min(_MOST_WAITING, most // 2), min(_MOST_BACKLOG, max(descriptors // 8, 4)))


class WaitingConnections:
    """The connections of a server that wait for their client, the longest waiting first."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._waiting: dict[BoundedConnection, None] = {}

    def add(self, connection: BoundedConnection) -> None:
        self._waiting[connection] = None
        if len(self._waiting) > self.limits.waiting or len(connection.connections) > self.limits.open:
            next(iter(self._waiting)).abort()

    def discard(self, connection: BoundedConnection) -> None:
        self._waiting.pop(connection, None)


class BoundedConnection(H11Protocol):
    """Closes a connection whose client does not send or read in time."""

    def __init__(self, waiting: WaitingConnections, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._waiting = waiting
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def handle_events(self) -> None:
        super().handle_events()
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        super().connection_lost(exc)

    def abort(self) -> None:
        """Close the connection without sending the rest."""
        self._stop_watching()
        self.transport.abort()

    def _watch(self) -> None:
        owes = self.flow.write_paused or self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if self.transport.is_closing() and not self.flow.write_paused:
            owes = False
        if not owes:
            self._stop_watching()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(CLIENT_SECONDS, self.abort)
            self._waiting.add(self)

    def _stop_watching(self) -> None:
        self._waiting.discard(self)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class LogLimit(logging.Filter):
    """Drops records above a rate: what a client can cause must not fill the disk."""

    def __init__(self) -> None:
        super().__init__()
        self._since, self._count = 0.0, 0

    def filter(self, _record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if now - self._since > _LOG_SECONDS:
            self._since, self._count = now, 0
        self._count += 1
        return self._count <= _MOST_LOGGED


def limit_logs() -> None:
    """Limit what uvicorn and asyncio write to stderr."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(LogLimit())
