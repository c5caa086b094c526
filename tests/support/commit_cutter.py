"""A proxy in front of PostgreSQL that cuts a connection at its commit: before it, inside it, or before its answer.

A commit is a COMMIT, or an append that is a transaction of its own. It reads the messages of the protocol, without TLS.
"""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from enum import StrEnum
from urllib.parse import quote


class Cut(StrEnum):
    BEFORE = "before the server got COMMIT"
    SILENT = "before the server got COMMIT, and the server does not notice"
    INSIDE = "in the middle of COMMIT"
    ANSWER = "before the client got the answer"


class CommitCutter:
    """Listens on a loopback port; the next COMMIT after `arm` is cut, everything else passes."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._cut: Cut | None = None
        self.cuts = 0
        self._kept: list[socket.socket] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, database: str, user: str, password: str = "") -> str:
        secret = f":{quote(password)}" if password else ""
        options = "sslmode=disable&gssencmode=disable"
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}?{options}"

    def arm(self, cut: Cut) -> None:
        self._cut = cut

    def _take(self, *cuts: Cut) -> Cut | None:
        """The cut, once, if it is one of these."""
        with self._lock:
            if self._cut not in cuts:
                return None
            cut, self._cut = self._cut, None
            self.cuts += 1
            return cut

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                for end in (client, server):  # messages are short, and are sent one by one
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                commits = threading.Event()
                for target, ends in ((self._forward, (client, server)), (self._answer, (server, client))):
                    threading.Thread(target=target, args=(*ends, commits), daemon=True).start()

    def _forward(self, client: socket.socket, server: socket.socket, commits: threading.Event) -> None:
        """From the client to the server: a simple query, or statements that were parsed before under a name."""
        texts: dict[bytes, bytes] = {}
        begun = False
        with suppress(OSError, EOFError):
            length = read_exactly(client, 4)
            server.sendall(length + read_exactly(client, struct.unpack("!I", length)[0] - 4))
            while True:
                message = read_message(client)
                kind, parts = message[:1], message[5:].split(b"\0")
                if kind == b"P":
                    texts[parts[0]] = parts[1]
                text = parts[0] if kind == b"Q" else texts.get(parts[1]) if kind == b"B" else b""
                begun = (begun or (text or b"").startswith(b"BEGIN")) and text not in (b"COMMIT", b"ROLLBACK")
                if text == b"COMMIT" or (b"append_message" in (text or b"") and not begun):
                    commits.set()
                if commits.is_set() and (cut := self._take(Cut.BEFORE, Cut.SILENT, Cut.INSIDE)):
                    if cut is Cut.INSIDE:
                        server.sendall(message[: len(message) // 2])
                    if cut is Cut.SILENT:
                        self._kept.append(server)
                        _end(client)
                        return
                    break
                server.sendall(message)
        _end(client, server)

    def _answer(self, server: socket.socket, client: socket.socket, commits: threading.Event) -> None:
        with suppress(OSError, EOFError):
            while True:
                message = read_message(server)
                # what a server reports once a transaction is over
                if message[:1] == b"Z" and message[5:] == b"I" and commits.is_set():
                    if self._take(Cut.ANSWER):
                        break
                    commits.clear()
                client.sendall(message)
        _end(client)
        if server not in self._kept:
            _end(server)

    def refuse(self) -> None:
        """Accept no new connection."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # a thread that waits in accept would get one more
        self._listener.close()

    def close(self) -> None:
        self.refuse()
        _end(*self._kept)


def read_message(peer: socket.socket) -> bytes:
    head = read_exactly(peer, 5)
    return head + read_exactly(peer, struct.unpack("!I", head[1:])[0] - 4)


def read_exactly(peer: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        piece = peer.recv(length - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def _end(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
