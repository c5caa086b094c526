"""A proxy in front of PostgreSQL that can cut all connections, swallow what is sent over them, and pass it on again."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class HubCutter:
    """`mode`: pass; cut (connections are closed and refused); swallow (nothing is passed on, nothing is closed)."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._mode = "pass"
        self.cut_at: bytes | None = None  # the connection over which this is sent next is closed, and no other
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def set(self, mode: str) -> None:
        self._mode = mode
        if mode == "cut":
            for one in list(self._open):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self._mode == "cut":
                    client.close()
                else:
                    threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(("127.0.0.1", self._target)) as server:
            self._open |= {client, server}
            back = threading.Thread(target=self._copy, args=(server, client), daemon=True)
            back.start()
            self._copy(client, server)
            back.join()
            self._open -= {client, server}

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                if self.cut_at is not None and self.cut_at in piece:
                    self.cut_at = None
                    break
                if self._mode == "swallow":
                    continue  # lost for good: TCP would send it again, a broken tunnel does not
                target.sendall(piece)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.set("cut")
        self._listener.close()
