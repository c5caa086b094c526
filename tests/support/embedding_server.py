"""A small embeddings endpoint on loopback: words of one meaning point the same way, and faults come on demand."""

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
# words that mean the same have the same place
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
    """The direction of a text; one without words has a small one of its own."""
    vector = [0.0] * dimensions
    for word in text.lower().split():
        place = _SYNONYMS.get(word.strip(".,?!"), 4 + zlib.crc32(word.encode()) % (dimensions - 4))
        vector[place] += 1.0
    return vector if any(vector) else [0.01] * dimensions


class Answer(NamedTuple):
    """What the endpoint says instead of vectors."""

    status: int
    body: bytes = b"{}"
    headers: Mapping[str, str] = MappingProxyType({})


Fault = Callable[[dict[str, Any], int], Answer | None]  # of a request and its number; None: no fault


class EmbeddingServer:
    """An endpoint that runs; `asked` are the requests it got, `keys` what they carried."""

    def __init__(self, fault: Fault, dimensions: int) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.fault, self.dimensions = fault, dimensions
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.asked.append({"path": self.path, **given})
                server.keys.append(self.headers.get("Authorization"))
                answer = server.fault(given, len(server.asked)) or server.vectors(given)
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def vectors(self, given: dict[str, Any]) -> Answer:
        rows = [
            {"object": "embedding", "index": number, "embedding": vector_of(text, self.dimensions)}
            for number, text in enumerate(given["input"])
        ]
        return Answer(200, json.dumps({"data": rows[::-1], "model": given["model"]}).encode())  # order is by index

    @property
    def texts(self) -> list[str]:
        return [text for each in self.asked for text in each["input"]]

    def serve(self) -> None:
        self._server.serve_forever(0.02)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def embedding_server(
    fault: Fault = lambda given, number: None, dimensions: int = DIMENSIONS
) -> Iterator[EmbeddingServer]:
    """The endpoint for the time of the block."""
    server = EmbeddingServer(fault, dimensions)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()
