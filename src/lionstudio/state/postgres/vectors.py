"""Semantic search on PostgreSQL: every vector in scope is compared, as ADR-0009 allows."""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterator, Sequence

from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.search_ranges import Scope, session_condition
from lionstudio.state.sqlite.vectors import OF_SESSIONS, Neighbour

_VECTORS = """
SELECT m.pk, m.id, m.embedding FROM messages m
 WHERE {} AND m.embedding IS NOT NULL AND length(m.embedding) = :bytes
   AND (CAST(:since AS REAL) IS NULL OR m.created_at >= :since)
"""


def nearest_by_scan(conn: Connection, vector: Sequence[float], scope: Scope, limit: int) -> list[Neighbour]:
    within = OF_SESSIONS.format(session_condition(scope)) if scope.of_sessions else "true"
    wanted = array("f", vector)
    params = {"bytes": 4 * len(wanted), "since": scope.since} | scope.of_sessions
    rows = conn.each(_VECTORS.format(within), params)
    return heapq.nsmallest(limit, _distances(rows, wanted), key=lambda near: near.distance)


def _distances(rows: Iterator[tuple[int, str, bytes]], wanted: array[float]) -> Iterator[Neighbour]:
    length = math.sqrt(math.sumprod(wanted, wanted)) if hasattr(math, "sumprod") else math.hypot(*wanted)
    for pk, message_id, packed in rows:
        vector = array("f", packed)
        other = math.hypot(*vector)
        if length and other:
            dot = sum(one * two for one, two in zip(wanted, vector, strict=True))
            yield Neighbour(pk, message_id, 1.0 - dot / (length * other))
