"""Clients without a token that never finish what they begin: others are served, and nothing grows."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.support.studio import Running, server
from uvicorn import Config
from uvicorn.server import ServerState

from lionstudio.studio.http import connections
from lionstudio.studio.http.connections import BoundedConnection, ConnectionLimits, WaitingConnections

CLIENTS = 300
DESCRIPTORS = 256  # instead of the usual 1,024: as many clients for each
HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
BODY = (
    b"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with server(tmp_path_factory.mktemp("slow"), descriptors=DESCRIPTORS) as running:
        yield running


@contextmanager
def clients(running: Running, sent: bytes, count: int = CLIENTS) -> Iterator[list[socket.socket]]:
    """Connections that send the beginning of a request and then nothing."""
    with ExitStack() as stack:
        opened = []
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", running.port), timeout=10)
            opened.append(stack.enter_context(closing(connection)))
            with suppress(OSError):  # closed already, to make room
                connection.sendall(sent.replace(b"{port}", str(running.port).encode()))
        yield opened


def healthz(running: Running) -> int:
    with closing(running.connect(timeout=8)) as connection:
        connection.request("GET", "/healthz")
        return connection.getresponse().status


def resident_bytes(running: Running) -> int:
    pages = int(Path(f"/proc/{running.process.pid}/statm").read_text().split()[1])
    return pages * 4096


@pytest.mark.parametrize("sent", [HEAD, BODY], ids=["half a head", "no body"])
def test_server_answers_while_clients_stall(studio: Running, sent: bytes) -> None:
    before = resident_bytes(studio)
    with clients(studio, sent):
        statuses = {healthz(studio) for _ in range(5)}
        time.sleep(2)  # asyncio tries to accept again after a second
        statuses |= {healthz(studio) for _ in range(5)}
        grown = resident_bytes(studio) - before
        log = (studio.home.parent / "server.log").stat().st_size

    assert statuses == {200}
    assert grown < 60_000_000
    assert log < 20_000


@pytest.mark.timeout(90)
def test_server_closes_a_head_that_never_ends(studio: Running) -> None:
    with clients(studio, HEAD, 1) as (connection,):
        deadline = time.monotonic() + 40
        with suppress(OSError):
            while time.monotonic() < deadline:
                connection.sendall(b"X-A: 1\r\n")
                time.sleep(0.5)

    assert time.monotonic() < deadline


async def _send_much(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(500):
        await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"], ids=["sends nothing", "reads nothing"])
def test_connection_is_closed_when_its_client_stalls(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(connections, "CLIENT_SECONDS", 0.2)

    async def run() -> None:
        lost = asyncio.Event()

        class Watched(BoundedConnection):
            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                lost.set()

        waiting = WaitingConnections(ConnectionLimits(10, 5, 5))
        make = partial(Watched, waiting, config=Config(_send_much), server_state=ServerState(), app_state={})
        async with await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0) as listening:
            with closing(socket.create_connection(listening.sockets[0].getsockname())) as client:
                client.sendall(sent)
                async with asyncio.timeout(10):
                    await lost.wait()

    asyncio.run(run())


def test_log_of_invalid_requests_is_bounded(studio: Running) -> None:
    for _ in range(300):
        with closing(socket.create_connection(("127.0.0.1", studio.port), timeout=10)) as connection:
            connection.sendall(b"\0\r\n\r\n")
            connection.recv(100)

    assert (studio.home.parent / "server.log").stat().st_size < 20_000
