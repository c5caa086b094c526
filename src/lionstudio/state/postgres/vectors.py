"""Semantic search on PostgreSQL: every vector in scope is compared, as ADR-0009 allows.

pgvector computes the distances inside the query where the database has it; else the client does, which is much slower.
Vectors have no index, because it would be approximate and miss neighbours.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterator, Sequence

from lionstudio.model.messages import pack
from lionstudio.state.connection import Connection
from lionstudio.state.postgres.vector_table import has_vectors
from lionstudio.state.sqlite.search_ranges import Scope, session_condition
from lionstudio.state.sqlite.vectors import OF_SESSIONS, Neighbour

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
