"""Search by meaning: the messages whose embeddings are nearest, alone or together with those that have the words.

SQLite only: `sqlite-vec` computes the distances inside the query when it is installed (extra `semantic`); nothing
else of the product needs it. Every vector in question is looked at, which takes about 2 ms for 1,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import apsw

from lionstudio.errors import InvalidInput
from lionstudio.model.messages import pack
from lionstudio.state.connection import Connection
from lionstudio.state.embeddings import find_made
from lionstudio.state.sqlite.fulltext import Hit, find_hit, has_words, one_moment, search

_FUSED = 100  # of each ranking; what is deeper in both hardly ever comes out on top
_RANK_WEIGHT = 60  # of reciprocal rank fusion: how little the first places outweigh the next


class Neighbour(NamedTuple):
    """A message and how far its embedding is (cosine distance, 0 is the same direction)."""

    pk: int
    message_id: str
    distance: float


class VectorQuery(NamedTuple):
    """A question as words and as a vector, with the model that made the vector."""

    words: str
    vector: Sequence[float]
    model: str | None = None


def load_extension(conn: Connection) -> bool:
    """Make sqlite-vec's functions known to a connection; False when it is not installed."""
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


def need_extension(conn: Connection) -> None:
    """Refuse, with what to install, where vectors cannot be compared."""
    if not load_extension(conn):
        raise InvalidInput(
            "searching by meaning needs sqlite-vec", hint="install it: pip install 'lion-studio[semantic]'"
        )


_NEAREST = """
SELECT m.pk, m.id, vec_distance_cosine(m.embedding, :vector) AS distance FROM messages m
 WHERE m.embedding IS NOT NULL AND length(m.embedding) = :bytes AND (:since IS NULL OR m.created_at >= :since)
 ORDER BY distance NULLS LAST LIMIT :limit
"""
_NEAREST_OF_PROJECT = """
SELECT m.pk, m.id, vec_distance_cosine(m.embedding, :vector) AS distance FROM messages m
 WHERE m.id IN (SELECT i.message_id FROM sessions s
                  JOIN progression_heads p ON p.id = s.progression_id
                  JOIN progression_items i ON i.prog = p.pk
                 WHERE s.project = :project)
   AND m.embedding IS NOT NULL AND length(m.embedding) = :bytes AND (:since IS NULL OR m.created_at >= :since)
 ORDER BY distance NULLS LAST LIMIT :limit
"""
_NEAREST_OF_SESSION = """
SELECT m.pk, m.id, vec_distance_cosine(m.embedding, :vector) AS distance FROM messages m
 WHERE m.id IN (SELECT i.message_id FROM sessions s
                  JOIN progression_heads p ON p.id = s.progression_id
                  JOIN progression_items i ON i.prog = p.pk
                 WHERE s.id = :session AND (:project IS NULL OR s.project = :project))
   AND m.embedding IS NOT NULL AND length(m.embedding) = :bytes AND (:since IS NULL OR m.created_at >= :since)
 ORDER BY distance NULLS LAST LIMIT :limit
"""


def nearest(
    conn: Connection,
    vector: Sequence[float],
    *,
    limit: int = 10,
    project: str | None = None,
    session_id: str | None = None,
    since: float | None = None,
) -> list[Neighbour]:
    """The messages whose embeddings point the most nearly the same way; vectors of another length are left out."""
    need_extension(conn)
    sql = _NEAREST_OF_SESSION if session_id is not None else _NEAREST if project is None else _NEAREST_OF_PROJECT
    blob = pack(vector)
    bound = {
        "vector": blob,
        "bytes": len(blob),
        "limit": limit,
        "since": since,
        "project": project,
        "session": session_id,
    }
    return [Neighbour(*row) for row in conn.all(sql, bound) if row[2] is not None]


def search_by_meaning(
    conn: Connection, asked: VectorQuery, *, limit: int = 20, max_chars: int = 200, **scope: Any
) -> list[Hit]:
    """The nearest messages, the nearest first; the scope is that of `search`."""
    bound = {"project": scope.get("project"), "session": scope.get("session_id"), "since": scope.get("since")}
    with one_moment(conn):
        _check_model(conn, asked)
        found = [
            (near, find_hit(conn, near.pk, bound, asked.words, max_chars))
            for near in nearest(conn, asked.vector, limit=limit, **scope)
        ]
    return [hit._replace(score=round(1.0 - near.distance, 6)) for near, hit in found if hit is not None]


def search_both(
    conn: Connection, asked: VectorQuery, *, limit: int = 20, max_chars: int = 200, **scope: Any
) -> list[Hit]:
    """Those with the words and those of the meaning, by reciprocal rank fusion: what both find comes first."""
    with one_moment(conn):
        near = search_by_meaning(conn, asked, limit=_FUSED, max_chars=max_chars, **scope)
        said = (
            search(conn, asked.words, limit=_FUSED, ranked=True, max_chars=max_chars, **scope)
            if has_words(asked.words)
            else []
        )
    return _fused([said, near])[:limit]


def _fused(rankings: list[list[Hit]]) -> list[Hit]:
    hits: dict[str, Hit] = {}
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            hits.setdefault(hit.message_id, hit)  # the first ranking's: its snippet shows the words
            scores[hit.message_id] = scores.get(hit.message_id, 0.0) + 1 / (_RANK_WEIGHT + rank)
    ordered = sorted(hits.values(), key=lambda hit: (-scores[hit.message_id], -hit.created_at))
    return [hit._replace(score=round(scores[hit.message_id], 6)) for hit in ordered]


_ANY = "SELECT 1 FROM messages WHERE embedding IS NOT NULL LIMIT 1"


def _check_model(conn: Connection, asked: VectorQuery) -> None:
    """Only vectors of one model can be compared."""
    made = find_made(conn)
    if made is None and not conn.value(_ANY):
        raise InvalidInput("no message has an embedding yet", hint="`li state embed` makes them")
    if made is not None and (asked.model or made.model, len(asked.vector)) != made:
        raise InvalidInput(
            f"the embeddings here are of {made.model} ({made.dimensions} numbers each), "
            f"not of {asked.model} ({len(asked.vector)})",
            hint="set embed_model back, or make all of them anew: `li state embed --again`",
        )


_NEWEST_LACKS = "SELECT embedding IS NULL FROM messages ORDER BY pk DESC LIMIT 1"


def is_behind(conn: Connection) -> bool:
    """Whether messages came since embeddings were made; those are not found by meaning."""
    return bool(conn.value(_NEWEST_LACKS))
