"""The nearest embeddings on a hub: compared by the client, and by pgvector inside the server."""

from __future__ import annotations

import random
import time
from array import array

from tests.support.postgres_server import PostgresServer

from benches.measure import median_ms
from benches.table import Table, at_least
from lionstudio.state.backends import open_database, open_reader
from lionstudio.state.connection import Connection
from lionstudio.state.postgres.open import open_writer
from lionstudio.state.postgres.vectors import create_vectors
from lionstudio.state.sqlite.vectors import Neighbour, nearest

_DIMENSIONS = 384
_COPY = "COPY messages (id, created_at, content, embedding, role, lion_class) FROM STDIN"


def measure_nearest(table: Table, rows: int) -> None:
    try:
        server = PostgresServer("wheel")  # which has pgvector
    except LookupError as error:
        table.say(f"vectors: not measured, {error}")
        return
    try:
        _measure(table, server, rows)
    finally:
        server.close()


def _measure(table: Table, server: PostgresServer, rows: int) -> None:
    name = server.create()
    url = server.url(name)
    open_database(url).close()
    rng = random.Random(7)
    numbers = array("f", (rng.gauss(0, 1) for _ in range(2 * rows + _DIMENSIONS)))
    # each another part, so that no two are equally near
    vectors = (numbers[start : start + _DIMENSIONS] for start in rng.sample(range(2 * rows), rows + 1))
    wanted = list(next(vectors))
    with server.admin(name) as admin:
        with admin.cursor().copy(_COPY) as copy:
            for number, vector in enumerate(vectors):
                content = f'{{"instruction": "message {number}"}}'
                copy.write_row((f"m{number}", 1.7e9 + number, content, vector.tobytes(), "user", 2))
        admin.execute("VACUUM (ANALYZE) messages")
        conn = open_reader(url)
        by_client, scan = _time(conn, wanted, 3)
        admin.execute("CREATE EXTENSION vector")
    writer, started = open_writer(url), time.monotonic()
    create_vectors(writer)
    table.row("embeddings that `li hub init` gives to pgvector", rows / (time.monotonic() - started), "/s")
    by_server, pgvector = _time(conn, wanted, 21)
    assert [near.pk for near in by_client] == [near.pk for near in by_server]
    table.row(f"nearest 10 of {rows:,} embeddings, compared by the client", scan, "ms")
    table.row(f"nearest 10 of {rows:,} embeddings, compared by pgvector", pgvector, "ms")
    table.row("compared by the client / by pgvector", scan / pgvector, "×", at_least(20))
    writer.close()
    conn.close()


def _time(conn: Connection, wanted: list[float], times: int) -> tuple[list[Neighbour], float]:
    return nearest(conn, wanted), median_ms(times, nearest, conn, wanted)
