"""Studio over HTTP: pages of runs at growing sizes, the dashboard, long sessions, its start, and its memory at rest.

A real server process and one open connection; `/healthz` is the baseline that no route can go below.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from benches.build import cached
from benches.corpus import fill as fill_messages
from benches.corpus import numbered
from benches.measure import percentile, timed
from benches.populations import PROJECTS, fill
from benches.stores import clean_up
from benches.table import Options, Table, at_most, options
from lionstudio.system.li_process import li_argv

_MESSAGES = 10_000
_PAGES = {
    "no filter": "/api/runs",
    "project": f"/api/runs?project={PROJECTS[0]}",
    "status": "/api/runs?status=failed",
    "project, kind, status": f"/api/runs?project={PROJECTS[0]}&kind=agent&status=completed",
    "text": "/api/runs?q=fix",
}


class Server(NamedTuple):
    """A Studio that serves one store."""

    process: subprocess.Popen[str]
    connection: http.client.HTTPConnection
    token: str
    first_ms: float

    def get(self, path: str) -> bytes:
        """The body of a response, which must have status 200."""
        self.connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
        response = self.connection.getresponse()
        body = response.read()
        assert response.status == 200, body[:300]
        return body


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("Studio over HTTP", args)
        sizes = (1_000, 100_000) if args.quick else (1_000, 100_000, 1_000_000)
        for size in sizes:
            with served(_store(size)) as server:
                _lists(table, args, server, size)
                if size == sizes[-1]:
                    _against_small(table, args, server, size)
                    _rest(table, args, server)
        with served(cached("long-sessions", lambda conn: fill_messages(conn, 3 * _MESSAGES, _MESSAGES))) as server:
            path = f"/api/sessions/{numbered(1)}/messages?limit={_MESSAGES}"
            assert len(json.loads(server.get(path))["messages"]) == _MESSAGES
            table.row("10,000 messages of a session, 8 MB", _ms(server, path, args), "ms", None, "made, sent and read")
            for what in ("outline", "timeline"):
                rare = args._replace(quick=True)
                table.row(f"10,000 messages: {what}", _ms(server, f"/api/sessions/{numbered(1)}/{what}", rare), "ms")
        table.close()
    finally:
        clean_up()


@contextlib.contextmanager
def served(path: str, *, read_only: bool = True) -> Iterator[Server]:
    """`li studio` on a store, which it only reads unless told otherwise."""
    with tempfile.TemporaryDirectory() as home:
        words = [
            "studio",
            "--json",
            "--no-open",
            "--port",
            "0",
            "--db",
            path,
            "--home",
            home,
            *["--read-only"] * read_only,
        ]
        began = time.perf_counter()
        process = subprocess.Popen(li_argv(*words), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            assert process.stdout is not None
            url = urlsplit(json.loads(process.stdout.readline())["url"])
            connection = http.client.HTTPConnection("127.0.0.1", url.port or 0, timeout=60)
            with open(os.path.join(home, "studio.token"), encoding="ascii") as file:
                server = Server(process, connection, file.read().strip(), 0.0)
            server.get("/healthz")
            yield server._replace(first_ms=(time.perf_counter() - began) * 1000)
            connection.close()
        finally:
            process.terminate()
            process.wait(timeout=10)


def _ms(server: Server, path: str, args: Options) -> float:
    server.get(path)
    return statistics.median(timed(20 if args.quick else 100, server.get, path)) / 1000


def _store(size: int) -> str:
    return cached(f"sessions-{size}", lambda conn: fill(conn, size))


def _against_small(table: Table, args: Options, server: Server, size: int) -> None:
    """Both servers take turns, so that a slow second of the machine affects both."""
    with served(_store(1_000)) as small:
        for each in (small, server):
            each.get("/api/runs")
        turns = range(20 if args.quick else 200)
        ratios = [timed(1, server.get, "/api/runs")[0] / timed(1, small.get, "/api/runs")[0] for _ in turns]
    table.row(f"page at {size:,} / at 1,000, no filter", statistics.median(ratios), "×", at_most(1.5))


def _lists(table: Table, args: Options, server: Server, size: int) -> None:
    bare = _ms(server, "/healthz", args)
    table.row(f"{size:,} sessions: /healthz", bare, "ms")
    found = {what: _ms(server, path, args) for what, path in _PAGES.items()}
    for what, value in found.items():
        table.row(f"{size:,} sessions: page of 100, {what}", value, "ms", at_most(10), f"{value / bare:.1f} × /healthz")
    for path in ("/api/dashboard", "/api/facets", f"/api/facets?project={PROJECTS[0]}", "/api/runs?card=stale"):
        table.row(f"{size:,} sessions: {path}", _ms(server, path, args), "ms")


def _rest(table: Table, args: Options, server: Server) -> None:
    table.row("li studio: start to the first 200", server.first_ms, "ms", at_most(700))
    pid = server.process.pid
    each = timed(50, server.get, "/api/runs")
    table.row("page of 100, p99", percentile(each, 99) / 1000, "ms")
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    table.row("memory at rest", resident / 1e6, "MB", at_most(90))


if __name__ == "__main__":
    main()
