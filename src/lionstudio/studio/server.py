"""The HTTP server: listen on a port, and stop cleanly on a signal."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import ipaddress
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType

import uvicorn

from lionstudio.errors import Busy, InvalidInput
from lionstudio.studio.app import create_app
from lionstudio.studio.http.connections import BoundedConnection, WaitingConnections, connection_limits, limit_logs
from lionstudio.studio.services import Services

# Ports to try: enough for other servers of the user, few enough to guess the address.
PORTS_BEYOND = 20
# A stop takes less than five seconds, even with open requests.
GRACE_SECONDS = 3
_TICK_SECONDS = 5.0


def listen(host: str, port: int, *, wide: bool = False) -> socket.socket:
    """A socket on the first free port from this one on, already listening, so that no other process can take it.

    `wide` allows an address that other machines can reach.
    """
    address = _address(host, wide)
    last = min(port + PORTS_BEYOND, 65535) if port else 0
    for candidate in range(port, last + 1):
        try:
            return _bind(address, candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                # A privileged port, or an address that this machine does not have.
                raise InvalidInput(
                    f"Studio cannot listen on {address}, port {candidate}: {error.strerror}.",
                    hint="Use --host 127.0.0.1 and a --port above 1023.",
                ) from error
    raise Busy(
        f"Ports {port} to {last} of {address} are all in use.",
        hint="Choose a free port with --port, or let the system choose with --port 0.",
    )


def server_url(listener: socket.socket) -> str:
    """The URL for the browser."""
    address, port = listener.getsockname()[:2]
    return f"http://[{address}]:{port}/" if ":" in address else f"http://{address}:{port}/"


def is_public_address(listener: socket.socket) -> bool:
    """Return whether other machines can reach the listener."""
    return not ipaddress.ip_address(listener.getsockname()[0]).is_loopback


class StudioServer(uvicorn.Server):
    """Ends the event streams first, which never end by themselves, then waits for other requests."""

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self._services = services
        self._wake: Callable[[], object] = lambda: None

    async def main_loop(self) -> None:
        """Every few seconds, for the date of responses, instead of ten times a second; a signal ends the pause."""
        loop, exiting = asyncio.get_running_loop(), asyncio.Event()
        self._wake = partial(loop.call_soon_threadsafe, exiting.set)
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(_TICK_SECONDS):
                    await exiting.wait()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._wake()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._services.launcher.closing = True
        self._services.hooks.close()
        self._services.hub.close()
        self._services.follower.close()
        await super().shutdown(sockets)


# mallopt of glibc: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX
_MALLOC_OPTIONS = ((-1, 12_000_000), (-3, 1_000_000), (-8, 2))


def _keep_freed_memory() -> None:
    """Large responses reuse freed memory; returning it to the system each time costs half as much again."""
    with suppress(OSError, AttributeError):  # not glibc
        allocator = ctypes.CDLL(None).mallopt
        for option, value in _MALLOC_OPTIONS:
            allocator(option, value)


def create_server(services: Services) -> uvicorn.Server:
    """Create the server with a new application; from now on Ctrl-C and SIGTERM only stop the server."""
    _keep_freed_memory()
    limits = connection_limits()
    config = uvicorn.Config(
        create_app(services),
        http=partial(BoundedConnection, WaitingConnections(limits)),  # type: ignore[arg-type]  # called like a class
        # connections that asyncio accepts in one go, before any of them can be closed
        backlog=limits.backlog,
        ws="none",
        lifespan="on",
        # bounds the memory of a request head that never ends
        h11_max_incomplete_event_size=65_536,
        log_level="warning",
        # Proxy headers would be trusted from loopback, where every client is.
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    limit_logs()
    server = StudioServer(config, services)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    # While it serves, uvicorn handles signals itself. These handlers cover the time before, and the time
    # after, when uvicorn raises the caught signal again and would end the process with a failure.
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    return server


def _address(host: str, wide: bool) -> str:
    if host.lower() == "localhost":
        return "127.0.0.1"
    try:
        address = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        address = None
    if address is None or not (address.is_loopback or wide):
        raise InvalidInput(
            f"{host!r} is not a loopback address.",
            hint="Omit --host; an address that other machines can reach also needs --token-file.",
        )
    return str(address)


def _bind(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # Named explicitly, because only then asyncio sets TCP_NODELAY (40 ms per response).
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            # Otherwise the port stays busy for a minute after a stop with an open page.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        # With SO_REUSEADDR only listen, not bind, is sure to fail on a busy port.
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener
