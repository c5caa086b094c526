"""A pooler in transaction mode, as pgbouncer is: each transaction of a client gets any free session of the server.

Without TLS and authentication of its own; the sessions belong to one user and one database.
"""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress

from tests.support.commit_cutter import read_exactly, read_message

_SSL_REQUEST, _GSS_REQUEST, _CANCEL = 80877103, 80877104, 80877102
_GREETING = (("server_version", "15.0"), ("client_encoding", "UTF8"), ("standard_conforming_strings", "on"))


class TransactionPooler:
    """Listens on a loopback port; `server` is the path of the server's socket."""

    def __init__(self, server: str, user: str, database: str) -> None:
        self._server, self._user, self._database = server, user, database
        self._free: list[socket.socket] = []
        self._sessions: list[socket.socket] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self) -> str:
        return f"postgresql://{self._user}@127.0.0.1:{self.port}/{self._database}"

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError, EOFError):
            while (code := struct.unpack("!I", (startup := _startup(client))[:4])[0]) in (_SSL_REQUEST, _GSS_REQUEST):
                client.sendall(b"N")
            if code == _CANCEL or not startup:
                return
            greeting = [b"R" + struct.pack("!II", 8, 0)]
            for name, value in _GREETING:
                text = f"{name}\0{value}\0".encode()
                greeting.append(b"S" + struct.pack("!I", len(text) + 4) + text)
            client.sendall(
                b"".join(greeting) + b"K" + struct.pack("!III", 12, 1, 1) + b"Z" + struct.pack("!Ic", 5, b"I")
            )
            while True:
                self._relay(client, read_message(client))

    def _relay(self, client: socket.socket, message: bytes) -> None:
        """One transaction: until the server is idle again."""
        if message[:1] == b"X":
            raise EOFError
        server = self._take()
        while True:
            server.sendall(message)
            while message[:1] not in b"QSX":  # a simple query or a Sync is answered by ReadyForQuery
                message = read_message(client)
                server.sendall(message)
            status = b""
            while not status:
                answer = read_message(server)
                client.sendall(answer)
                status = answer[5:6] if answer[:1] == b"Z" else b""
            if status == b"I":
                break
            message = read_message(client)
        with self._lock:
            self._free.append(server)

    def _take(self) -> socket.socket:
        with self._lock:
            if self._free:
                return self._free.pop()
            server = socket.socket(socket.AF_UNIX)
            self._sessions.append(server)
        server.connect(self._server)
        text = struct.pack("!I", 196608) + f"user\0{self._user}\0database\0{self._database}\0\0".encode()
        server.sendall(struct.pack("!I", len(text) + 4) + text)
        while read_message(server)[:1] != b"Z":
            pass
        return server

    def close(self) -> None:
        self._listener.close()
        with self._lock:
            for server in self._sessions:
                server.close()


def _startup(client: socket.socket) -> bytes:
    return read_exactly(client, struct.unpack("!I", read_exactly(client, 4))[0] - 4)
