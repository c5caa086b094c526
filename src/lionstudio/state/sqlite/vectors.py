"""Semantic search: the messages with the nearest embeddings, alone or combined with full-text search (hybrid).

`sqlite-vec` computes the distances inside the query when it is installed (extra `semantic`); nothing else of the
product needs it. Every vector in scope is compared, which takes about 2 ms for 1,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import apsw

from lionstudio.errors import InvalidInput
from lionstudio.model.messages import pack
from lionstudio.state.backends import is_server
from lionstudio.state.connection import Connection
from lionstudio.state.embeddings import EmbeddingModel, find_model
from lionstudio.state.sqlite.fulltext import search, snapshot
from lionstudio.state.sqlite.search_hits import Hit, load_hits, matches_of
from lionstudio.state.sqlite.search_ranges import ANYWHERE, Scope, scope_of, session_condition
from lionstudio.state.sqlite.search_text import has_words, parse_query

_FUSED = 100  # of each ranking; a message that is deeper in both hardly ever comes out on top
_RANK_WEIGHT = 60  # the constant k of reciprocal rank fusion


class Neighbour(NamedTuple):
    """A message and its cosine distance (0: the same direction)."""

    pk: int
    message_id: str
    distance: float


class VectorQuery(NamedTuple):
    """A query as text and as a vector, with the model that made the vector."""

    text: str
    vector: Sequence[float]
    model: str | None = None


def load_extension(conn: Connection) -> bool:
    """Load sqlite-vec into a connection; False when it is not installed."""
    if is_server(conn.path):
        return True  # its module compares the vectors
    try:
        import sqlite_vec
    except ImportError:
        return False
    conn.raw.enable_load_extension(True)
    try:
        conn.raw.load_extension(sqlite_vec.loadable_path())
    except apsw.ExtensionLoadingError:
        return False
    finally:
        conn.raw.enable_load_extension(False)
    return True


def require_extension(conn: Connection) -> None:
    if not load_extension(conn):
        raise InvalidInput("semantic search needs sqlite-vec", hint="pip install sqlite-vec")


_NEAREST = """
SELECT m.pk, m.id, vec_distance_cosine(m.embedding, :vector) AS distance FROM messages m
 WHERE {} AND m.embedding IS NOT NULL AND length(m.embedding) = :bytes AND (:since IS NULL OR m.created_at >= :since)
 ORDER BY distance NULLS LAST LIMIT :limit
"""
OF_SESSIONS = """
m.id IN (SELECT i.message_id FROM sessions s
           JOIN progression_heads p ON p.id = s.progression_id
           JOIN progression_items i ON i.prog = p.pk
          WHERE {})"""
_FILTERED = 10  # neighbours that are read for each wanted one when a filter may leave most of them out


def nearest(conn: Connection, vector: Sequence[float], scope: Scope = ANYWHERE, *, limit: int = 10) -> list[Neighbour]:
    """The messages with the nearest embeddings; vectors of another length are skipped."""
    if is_server(conn.path):
        from lionstudio.state.postgres import vectors

        return vectors.nearest(conn, vector, scope, limit)
    require_extension(conn)
    within = OF_SESSIONS.format(session_condition(scope)) if scope.of_sessions else "true"
    blob = pack(vector)
    params = {"vector": blob, "bytes": len(blob), "limit": limit, "since": scope.since} | scope.of_sessions
    return [Neighbour(*row) for row in conn.all(_NEAREST.format(within), params) if row[2] is not None]


def search_semantic(
    conn: Connection, query: VectorQuery, *, limit: int = 20, max_chars: int = 200, lines: bool = False, **filters: Any
) -> list[Hit]:
    """Messages by distance, the nearest first; the filters are those of `search`."""
    words, scope = parse_query(query.text, scope_of(**filters))
    with snapshot(conn):
        _check_model(conn, query)
        reach = limit * _FILTERED if scope.of_messages else limit
        neighbours = {near.pk: near for near in nearest(conn, query.vector, scope, limit=reach)}
        matches = list(islice(matches_of(conn, neighbours, scope), limit))
        hits = load_hits(conn, matches, words, max_chars, lines=lines)
    return [
        hit._replace(score=round(1.0 - neighbours[match.pk].distance, 6))
        for match, hit in zip(matches, hits, strict=True)
    ]


def search_hybrid(
    conn: Connection, query: VectorQuery, *, limit: int = 20, max_chars: int = 200, lines: bool = False, **filters: Any
) -> list[Hit]:
    """Full-text and semantic matches combined by reciprocal rank fusion: messages in both come first."""
    with snapshot(conn):
        semantic = search_semantic(conn, query, limit=_FUSED, max_chars=max_chars, lines=lines, **filters)
        fulltext = (
            search(conn, query.text, limit=_FUSED, ranked=True, max_chars=max_chars, lines=lines, **filters)
            if has_words(query.text)
            else []
        )
    return _fused([fulltext, semantic])[:limit]


def _fused(rankings: list[list[Hit]]) -> list[Hit]:
    hits: dict[str, Hit] = {}
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            hits.setdefault(hit.message_id, hit)  # the hit of the full-text search: its snippet shows the words
            scores[hit.message_id] = scores.get(hit.message_id, 0.0) + 1 / (_RANK_WEIGHT + rank)
    ordered = sorted(hits.values(), key=lambda hit: (-scores[hit.message_id], -hit.created_at))
    return [hit._replace(score=round(scores[hit.message_id], 6)) for hit in ordered]


_ANY = "SELECT 1 FROM messages WHERE embedding IS NOT NULL LIMIT 1"


def require_embeddings(conn: Connection) -> EmbeddingModel | None:
    """The model of the stored embeddings, if it is known; raises InvalidInput when no message has one."""
    stored = find_model(conn)
    if stored is None and not conn.value(_ANY):
        raise InvalidInput("no message has an embedding yet", hint="li state embed")
    return stored


def _check_model(conn: Connection, query: VectorQuery) -> None:
    """Only vectors of one model can be compared."""
    stored = require_embeddings(conn)
    if stored is not None and (query.model or stored.model, len(query.vector)) != stored:
        raise InvalidInput(
            f"the stored embeddings are from {stored.model} ({stored.dimensions} dimensions), "
            f"not from {query.model} ({len(query.vector)})",
            hint="set embed_model back, or recompute all of them: li state embed --again",
        )


_NEWEST_LACKS = "SELECT embedding IS NULL FROM messages ORDER BY pk DESC LIMIT 1"


def newest_lacks_embedding(conn: Connection) -> bool:
    return bool(conn.value(_NEWEST_LACKS))
