"""Where Studio listens and how it stops: a port of this machine, and a clean end on a signal."""

from __future__ import annotations

import ctypes
import errno
import ipaddress
import os
import signal
import socket
from contextlib import suppress
from types import FrameType

import uvicorn

from lionstudio.errors import Busy, InvalidInput
from lionstudio.studio.app import create_app
from lionstudio.studio.services import Services

# How far to look for a free port: enough for a person's own servers, few enough to guess the address.
PORTS_BEYOND = 20
# A stop must be done within five seconds, whatever requests are still open.
GRACE_SECONDS = 3


def listen(host: str, port: int, *, wide: bool = False) -> socket.socket:
    """The first free port from this one on, already listening, so that nobody takes it in between.

    `wide` allows an address that others can reach.
    """
    address = _address(host, wide)
    last = min(port + PORTS_BEYOND, 65535) if port else 0
    for candidate in range(port, last + 1):
        try:
            return _bind(address, candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                # Reserved for the administrator, or an address this machine lacks.
                raise InvalidInput(
                    f"Studio cannot listen on {address}, port {candidate}: {error.strerror}.",
                    hint="Use --host 127.0.0.1 and a --port above 1023.",
                ) from error
    raise Busy(
        f"Ports {port} to {last} of {address} are all in use.",
        hint="Name a free one with --port, or let the system choose with --port 0.",
    )


def server_url(listener: socket.socket) -> str:
    """The address to give to a browser."""
    address, port = listener.getsockname()[:2]
    return f"http://[{address}]:{port}/" if ":" in address else f"http://{address}:{port}/"


def is_public_address(listener: socket.socket) -> bool:
    """Whether other machines may reach it."""
    return not ipaddress.ip_address(listener.getsockname()[0]).is_loopback


class StudioServer(uvicorn.Server):
    """Ends the streams first, which would never end by themselves, and then waits for the rest."""

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self._services = services

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop within the grace."""
        self._services.launcher.closing = True
        self._services.hub.close()
        await super().shutdown(sockets)


# Of glibc's mallopt: what is kept when it is freed, from which size on memory is asked for anew, how many pools.
_KEPT = ((-1, 12_000_000), (-3, 1_000_000), (-8, 2))


def _keep_some_memory() -> None:
    """An answer of megabytes reuses what the last one had; given back each time, it costs half as much again."""
    with suppress(OSError, AttributeError):  # another C library has other ways
        allocator = ctypes.CDLL(None).mallopt
        for option, value in _KEPT:
            allocator(option, value)


def create_server(services: Services) -> uvicorn.Server:
    """The server around a new application; from now on Ctrl-C and SIGTERM stop it and nothing else."""
    _keep_some_memory()
    config = uvicorn.Config(
        create_app(services),
        http="h11",
        ws="none",
        lifespan="on",
        # lines of a head that never ends are not collected for long
        h11_max_incomplete_event_size=65_536,
        log_level="warning",
        # Headers of a proxy would be believed from loopback, which is everybody here.
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = StudioServer(config, services)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    # While it serves, uvicorn listens for signals itself. These cover the moment before, and the one
    # after, when it raises what it caught once more and would end the process with a failure.
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
            f"Studio answers on this machine only, and {host!r} is not an address of that kind.",
            hint="Leave --host out; an address that others can reach needs --token-file with it.",
        )
    return str(address)


def _bind(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # The protocol is named because asyncio turns off the waiting for more to send (40 ms an answer) only then.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            # Else the port stays busy for a minute after a stop with a page open.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        # With the option above only this call, and not the bind, is sure to fail on a busy port.
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener
