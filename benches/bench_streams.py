"""Many pages on one run: 300 listeners of which 50 never read, 3,000 events of 4 kB; delay of the others, memory.

The listeners have their own process. An event carries the time before its commit; the figure includes the time that a
listener needs to read its buffers.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe

from benches.bench_http import Server, served
from benches.measure import percentile
from benches.process_cost import cpu_of_tree
from benches.stores import clean_up
from benches.table import Options, Table, at_most, options
from lionstudio.model.branches import Branch
from lionstudio.model.messages import create_message
from lionstudio.model.sessions import Session
from lionstudio.state.branches import create_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import create_session, finish_session

_SPAWN = get_context("spawn")
_MOMENT = re.compile(rb"sent at (\d+\.\d+)")
_RATE = 30  # events a second: each goes out 250 times
_SIZE = 4_000


def main() -> None:
    args = options(__doc__)
    listeners, silent, events = (60, 10, 150) if args.quick else (300, 50, 3_000)
    try:
        table = Table("Many listeners on one run", args)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state.db")
            with Database(path) as database:
                database.write(_begin)
                with served(path) as server, contextlib.ExitStack() as held:
                    for _ in range(silent):
                        held.enter_context(_never_reading(server))
                    _measure(table, args, server, database, listeners - silent, events)
        table.close()
    finally:
        clean_up()


def _begin(conn: Connection) -> None:
    create_session(conn, Session(id="crowd"))
    create_branch(conn, Branch(id="crowd.main", session_id="crowd"))


def _measure(table: Table, args: Options, server: Server, database: Database, listeners: int, events: int) -> None:
    parent, child = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_listen, args=(child, server.connection.port, server.token, listeners))
    process.start()
    child.close()  # a listener that fails ends the wait
    assert parent.recv() == "listening"
    before, spent = _resident(server), cpu_of_tree(server.process.pid)
    _speak(database, events)
    most = _resident(server)
    counts, delays = parent.recv()
    most = max(most, _resident(server))
    process.join()
    spent = (cpu_of_tree(server.process.pid) - spent) / (events * listeners)
    table.row("CPU of the server for one event to one listener", spent * 1e6, "µs")
    table.row("events that a listener received, fewest", min(counts), "", note=f"of {events:,}, {listeners} listeners")
    table.row("listeners that missed an event", sum(n != events for n in counts), "", at_most(0))
    for percent, goal in ((50, None), (95, None), (99, at_most(1000))):
        table.row(f"commit to listener, p{percent}", percentile(delays, percent), "ms", goal)
    table.row("memory of the server grows by", (most - before) / 1e6, "MB", at_most(64))


def _speak(database: Database, events: int) -> None:
    began = time.monotonic()
    for number in range(events):
        text = f"sent at {time.time():.6f} ".ljust(_SIZE, "x")
        message = create_message({"assistant_response": text})
        database.write(lambda conn, message=message: append(conn, "crowd.main", message))  # type: ignore[misc]
        time.sleep(max(0.0, began + (number + 1) / _RATE - time.monotonic()))
    database.write(lambda conn: finish_session(conn, "crowd", "completed"))


def _resident(server: Server) -> int:
    with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def _never_reading(server: Server) -> Iterator[None]:
    with socket.socket() as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        silent.connect(("127.0.0.1", server.connection.port))
        silent.sendall(_request(server.connection.port, server.token))
        yield


def _request(port: int, token: str) -> bytes:
    lines = ("GET /api/sessions/crowd/stream HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {token}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _listen(pipe: Pipe, port: int, token: str, listeners: int) -> None:
    """Run all listeners; reports when they listen, and at the end the events and delays of each."""
    counts, delays = asyncio.run(_crowd(pipe, port, token, listeners))
    pipe.send((counts, delays))


async def _crowd(pipe: Pipe, port: int, token: str, listeners: int) -> tuple[list[int], list[float]]:
    delays: list[float] = []
    streams = []
    for _ in range(listeners):  # one by one: the server closes connections that send no request
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
        writer.write(_request(port, token))
        await reader.readuntil(b"retry: 1000\n\n")
        streams.append((reader, writer))
    pipe.send("listening")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_hear(reader, delays)) for reader, _ in streams]
    for _, writer in streams:
        writer.close()
    return [task.result() for task in tasks], delays


async def _hear(reader: asyncio.StreamReader, delays: list[float]) -> int:
    heard, rest = 0, b""
    while piece := await reader.read(262_144):
        rest += piece
        *events, rest = rest.split(b"\n\n")
        now = time.time()
        for event in events:
            match = _MOMENT.search(event)
            if match is not None:
                heard += 1
                delays.append((now - float(match[1])) * 1000)
            elif b"event: done" in event or b"event: resync" in event:
                return heard
    return heard


if __name__ == "__main__":
    main()
