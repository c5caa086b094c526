"""Full-text search over messages on PostgreSQL: words are indexed with the append, so the index is always complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lionstudio.model.json_codec import dump
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.search_hits import Match, matches_of
from lionstudio.state.sqlite.search_ranges import Scope, session_condition
from lionstudio.state.sqlite.search_text import QueryPart, query_parts

_ALL = 2**62
_CHUNK, _LARGEST_CHUNK = 50, 3_200
_RANKED = 1000  # relevance is computed for this many newest matches
_TOKEN = re.compile(r"[^\W_]+")

_NEWEST = """
SELECT m.pk FROM messages m
 WHERE m.words @@ to_tsquery('simple', unaccented(:query)) AND m.pk < :below{} ORDER BY m.pk DESC LIMIT :n
"""
_IN_SESSIONS = """
   AND EXISTS (SELECT 1 FROM progression_items i JOIN progression_heads h ON h.pk = i.prog
                 JOIN sessions s ON s.progression_id = h.id WHERE i.message_id = m.id AND {})"""
_SINCE = " AND m.created_at >= :since"
_BEST = """
SELECT m.pk FROM messages m WHERE m.pk IN (SELECT CAST(value AS INTEGER) FROM json_each(:wanted))
 ORDER BY ts_rank(m.words, to_tsquery('simple', unaccented(:query))) DESC, m.pk DESC
"""


def newest_rows(conn: Connection, words: str, scope: Scope, below: int = _ALL) -> Iterator[int]:
    """Keys of messages that match and may be in scope, newest first."""
    query = _expression(query_parts(words, scope.file))
    if query is None:
        return
    more = _IN_SESSIONS.format(session_condition(scope)) if scope.of_sessions else ""
    params: dict[str, Any] = {"query": query, **scope.of_sessions}
    if scope.since is not None:
        more, params = more + _SINCE, params | {"since": scope.since}
    size = _CHUNK
    while True:
        rows = conn.all(_NEWEST.format(more), params | {"below": below, "n": size})
        yield from (pk for (pk,) in rows)
        if len(rows) < size:
            return
        below, size = rows[-1][0], min(size * 8, _LARGEST_CHUNK)


def ranked_matches(conn: Connection, words: str, scope: Scope) -> list[Match]:
    """The most relevant among the newest thousand."""
    newest = {one.pk: one for one in islice(matches_of(conn, newest_rows(conn, words, scope), scope), _RANKED)}
    query = _expression(query_parts(words, scope.file))
    best = conn.all(_BEST, {"query": query, "wanted": dump(list(newest))}) if newest else []
    return [newest[pk] for (pk,) in best]


def _expression(parts: list[QueryPart]) -> str | None:
    """The query for to_tsquery; None when a part has no word, which no message matches."""
    phrases = []
    for part in parts:
        tokens = _TOKEN.findall(part.text)
        if not tokens:
            return None
        phrases.append(f"({' <-> '.join(tokens)}{':*' if part.prefix else ''})")
    return " & ".join(phrases)


def count_unindexed(conn: Connection) -> int:
    return 0


def index_batch(conn: Connection, limit: int = 0) -> int:
    return 0


def index_all(conn: Connection) -> None:
    """The index is complete after every commit."""


def has_deleted(conn: Connection) -> bool:
    return False


def forget_deleted(conn: Connection, limit: int = 0) -> bool:
    """A deleted message has no words left in the index that a search could find."""
    return False
