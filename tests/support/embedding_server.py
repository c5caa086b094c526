"""A small embeddings endpoint on loopback: synonyms have equal vectors, and tests inject faults."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

DIMENSIONS = 16
# the dimension of each word; synonyms share one
_SYNONYMS = {
    "car": 0,
    "automobile": 0,
    "vehicle": 0,
    "locked": 1,
    "blocked": 1,
    "waits": 1,
    "database": 2,
    "sqlite": 2,
    "store": 2,
    "cat": 3,
    "kitten": 3,
}


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """The vector of a text; a text without words has a small constant one."""
    vector = [0.0] * dimensions
    for word in text.lower().split():
        index = _SYNONYMS.get(word.strip(".,?!"), 4 + zlib.crc32(word.encode()) % (dimensions - 4))
        vector[index] += 1.0
    return vector if any(vector) else [0.01] * dimensions


class Response(NamedTuple):
    """A response in place of vectors."""

    status: int
    body: bytes = b"{}"
    headers: Mapping[str, str] = MappingProxyType({})


Fault = Callable[[dict[str, Any], int], Response | None]  # called with a request and its number; None: no fault


class EmbeddingServer:
    """A running endpoint; `requests` are the bodies it received, `keys` their Authorization headers."""

    def __init__(self, fault: Fault, dimensions: int) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.fault, self.dimensions = fault, dimensions
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append({"path": self.path, **request})
                server.keys.append(self.headers.get("Authorization"))
                answer = server.fault(request, len(server.requests)) or server.vectors(request)
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def vectors(self, request: dict[str, Any]) -> Response:
        rows = [
            {"object": "embedding", "index": number, "embedding": vector_of(text, self.dimensions)}
            for number, text in enumerate(request["input"])
        ]
        return Response(200, json.dumps({"data": rows[::-1], "model": request["model"]}).encode())  # order is by index

    @property
    def texts(self) -> list[str]:
        return [text for request in self.requests for text in request["input"]]

    def serve(self) -> None:
        self._server.serve_forever(0.02)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def embedding_server(
    fault: Fault = lambda request, number: None, dimensions: int = DIMENSIONS
) -> Iterator[EmbeddingServer]:
    """Run the endpoint during the block."""
    server = EmbeddingServer(fault, dimensions)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()
