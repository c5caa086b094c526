"""Semantic search on PostgreSQL: every vector in scope is compared, as ADR-0009 allows.

pgvector computes the distances inside the query where the database has it; else the client does, which is much slower.
Vectors have no index, because it would be approximate and miss neighbours.
"""

from __future__ import annotations

import heapq
import math
import os
from array import array
from collections.abc import Iterator, Sequence

import psycopg

from lionstudio.model.messages import pack
from lionstudio.state.connection import Connection, plain_errors
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.postgres.errors import translate_error
from lionstudio.state.sqlite.search_ranges import Scope, session_condition
from lionstudio.state.sqlite.vectors import OF_SESSIONS, Neighbour

_BATCH = 200  # embeddings that are added while other writes wait: about 0.1 s
VECTOR_COLUMN = """
SELECT has_column_privilege(attrelid, attnum, 'SELECT') AND to_regtype('vector') IS NOT NULL FROM pg_attribute
 WHERE attrelid = to_regclass('message_vectors') AND attname = 'vector'
"""
_MAY_CREATE = """
SELECT to_regtype('vector') IS NOT NULL AND has_schema_privilege(current_schema(), 'CREATE')
       AND pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('messages')
"""
# as it is now, without `$user`, and temporary tables last: for the trigger that acts as the owner
_PATH = """
SELECT set_config('search_path', string_agg(quote_ident(name), ', ') || ', pg_temp', true)
  FROM unnest(current_schemas(false)) name
"""
_FILL = """
WITH batch AS (
  SELECT pk, embedding FROM messages WHERE embedding IS NOT NULL AND pk > :after ORDER BY pk LIMIT :limit
), added AS (
  INSERT INTO message_vectors SELECT b.pk, v FROM batch b, vector_of(b.embedding) v WHERE v IS NOT NULL
  ON CONFLICT DO NOTHING
)
SELECT max(pk) FROM batch
"""
_MOST_DIMENSIONS = 16_000  # of pgvector
_IN_SCOPE = "{} AND (CAST(:since AS REAL) IS NULL OR m.created_at >= :since)"
_NEAREST = """
WITH near AS (
  SELECT v.pk, v.vector <=> CAST(:vector AS vector) AS distance FROM message_vectors v
   WHERE vector_dims(v.vector) = :dimensions AND {} ORDER BY distance LIMIT :limit
)
SELECT m.pk, m.id, near.distance FROM near JOIN messages m ON m.pk = near.pk ORDER BY near.distance
"""
_AMONG = "v.pk IN (SELECT m.pk FROM messages m WHERE {})"
_VECTORS = "SELECT m.pk, m.id, m.embedding FROM messages m WHERE length(m.embedding) = :bytes AND {}"


def nearest(conn: Connection, vector: Sequence[float], scope: Scope, limit: int) -> list[Neighbour]:
    wanted = array("f", pack(vector))
    length = math.hypot(*wanted)
    if not length:
        return []
    wanted = array("f", (number / length for number in wanted))
    within = _IN_SCOPE.format(OF_SESSIONS.format(session_condition(scope)) if scope.of_sessions else "true")
    params = {"since": scope.since} | scope.of_sessions
    if len(wanted) > _MOST_DIMENSIONS or not has_vectors(conn):
        rows = conn.each(_VECTORS.format(within), params | {"bytes": 4 * len(wanted)})
        return heapq.nsmallest(limit, _distances(rows, wanted), key=lambda near: near.distance)
    among = _AMONG.format(within) if scope.of_sessions or scope.since is not None else "true"
    params |= {"vector": str(wanted.tolist()), "dimensions": len(wanted), "limit": limit}
    return [Neighbour(*row) for row in conn.all(_NEAREST.format(among), params)]


def _distances(rows: Iterator[tuple[int, str, bytes]], wanted: array[float]) -> Iterator[Neighbour]:
    for pk, message_id, packed in rows:
        vector = array("f", packed)
        length = math.hypot(*vector)
        if 0 < length < math.inf:  # others have no direction: zero, or damaged
            dot = sum(one * two for one, two in zip(wanted, vector, strict=True))
            yield Neighbour(pk, message_id, 1.0 - dot / length)


# ── the table that triggers keep, where the database has the extension ──


def has_vectors(conn: Connection) -> bool:
    """Whether the table has all vectors, and this role may read them."""
    return bool(conn.value(VECTOR_COLUMN))


def create_vectors(conn: PostgresConnection) -> None:
    """Create and fill the table, where the extension is and this role owns the tables; anew after an interruption."""
    with plain_errors(conn.path):
        if has_vectors(conn) or not conn.value(_MAY_CREATE):
            return
        _create_table(conn)
        last: int | None = 0
        while last is not None:
            with conn.transaction():  # with the write lock: no embedding changes between reading and adding it
                last = conn.value(_FILL, {"after": last, "limit": _BATCH})
        conn.run("ALTER TABLE message_vectors RENAME unfilled TO vector")


def _create_table(conn: PostgresConnection) -> None:
    path = os.path.join(os.path.dirname(__file__), "schema", "vectors.sql")
    try:
        with open(path, encoding="utf-8") as file, conn.pg.transaction():
            conn.pg.execute(_PATH)
            conn.pg.execute(file.read())
    except psycopg.Error as error:
        raise translate_error(error, conn.path) from error
