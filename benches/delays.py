"""Shared by the benches of events: the delay from a commit to an SSE client of a Studio, commits at random moments."""

from __future__ import annotations

import json
import random
import socket
import threading
import time

from benches.bench_http import Server, served
from benches.measure import percentile
from benches.stores import begin, messages
from benches.table import Goal, Table, at_most
from lionstudio.state.backends import open_database
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append

_RATE = 30
PATIENCE = 10.0


def measure_delay(table: Table, what: str, path: str, commits: int, bells: bool, goal: Goal) -> None:
    with open_database(path, long_lived=True) as database:
        session, branch = begin(database)
        with served(path) as server, listen(server, session) as stream:
            if not bells:
                setattr(database.bell, "ring", lambda: None)  # noqa: B010  (a method cannot be assigned to)
            listener = Listener(stream, commits)
            sent = write_at_random(database, branch, commits)
            listener.thread.join(PATIENCE)
    each = [(listener.seen[id_] - at) * 1000 for id_, at in sent.items() if id_ in listener.seen]
    table.row(f"{what}, event at a client, p50", percentile(each, 50), "ms")
    table.row(f"{what}, event at a client, p95", percentile(each, 95), "ms", goal)
    table.row(f"{what}, commits without an event", commits - len(each), "", at_most(0))


def write_at_random(database: Database, branch: str, commits: int) -> dict[str, float]:
    supply = messages(random.Random(1))
    sent: dict[str, float] = {}
    for _ in range(commits):
        time.sleep(random.expovariate(_RATE))
        message = next(supply)
        sent[message.id] = time.monotonic()
        database.write(lambda conn, message=message: append(conn, branch, message))  # type: ignore[misc]
    return sent


def listen(server: Server, session: str) -> socket.socket:
    port = server.connection.port
    stream = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    lines = (
        f"GET /api/sessions/{session}/stream HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {server.token}",
    )
    stream.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    return stream


class Listener:
    """Notes when the event of each message arrives."""

    def __init__(self, stream: socket.socket, commits: int) -> None:
        self.seen: dict[str, float] = {}
        self._stream, self._commits = stream, commits
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        rest = b""
        while len(self.seen) < self._commits:
            try:
                piece = self._stream.recv(262_144)
            except TimeoutError:
                return
            if not piece:
                return
            now = time.monotonic()
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                if line.startswith(b"data: {"):
                    self._note(json.loads(line[6:]), now)

    def _note(self, event: dict[str, object], now: float) -> None:
        message = event.get("message", event)
        if isinstance(message, dict) and isinstance(message.get("id"), str):
            self.seen.setdefault(message["id"], now)
