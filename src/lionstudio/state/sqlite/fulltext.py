"""Full-text search over messages (FTS5), complete at every moment.

The index is filled in batches up to a mark. Messages above the mark are put into a temporary index of the same kind
at query time, so that both indexes match by the same rules.
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.state.connection import Connection
from lionstudio.state.messages.rows import readable_text
from lionstudio.state.sqlite.search_ranges import FEW, MANY, RowRange, Scope, record_zone_times, row_ranges

_BATCH = 500  # messages in one transaction of the indexer: short, so that writers do not wait
_RANKED = 1000  # relevance is computed for this many newest matches; all matches of a common word take 400 ms


class Hit(NamedTuple):
    """A matching message, its position in its session, and a snippet."""

    message_id: str
    session_id: str | None
    session_name: str | None
    project: str | None
    ord: int | None
    created_at: float
    role: str | None
    snippet: str
    score: float | None = None  # of a semantic or hybrid search


_MARK = "SELECT indexed_pk FROM search_state"
_TAIL = "SELECT pk, content FROM messages WHERE pk > :mark ORDER BY pk LIMIT :limit"
_DIRTY = "SELECT d.pk, m.pk, m.content FROM search_dirty d LEFT JOIN messages m ON m.pk = d.pk LIMIT :limit"
_DROP = "DELETE FROM messages_fts WHERE rowid = :pk"
_ADD = "INSERT INTO messages_fts (rowid, text) VALUES (:pk, :text)"
_CLEAN = "DELETE FROM search_dirty WHERE pk = :pk"
_MOVE = "UPDATE search_state SET indexed_pk = :pk"


def index_batch(conn: Connection, limit: int = _BATCH) -> int:
    """Index the next messages; returns their number (0: the index is up to date)."""
    mark, dirty = conn.value(_MARK), conn.all(_DIRTY, {"limit": limit})
    for pk, exists, content in dirty:
        conn.execute(_DROP, {"pk": pk})
        if exists and pk <= mark:
            conn.execute(_ADD, {"pk": pk, "text": readable_text(content)})
            record_zone_times(conn, pk - 1, pk)
        conn.execute(_CLEAN, {"pk": pk})
    fresh = conn.all(_TAIL, {"mark": mark, "limit": limit - len(dirty)})
    for pk, content in fresh:
        conn.execute(_ADD, {"pk": pk, "text": readable_text(content)})
    if fresh:
        record_zone_times(conn, mark, fresh[-1][0])
        conn.execute(_MOVE, {"pk": fresh[-1][0]})
    return len(dirty) + len(fresh)


_BEHIND = "SELECT coalesce(max(pk), 0) - (SELECT indexed_pk FROM search_state) FROM messages"


def count_unindexed(conn: Connection) -> int:
    """The approximate number of messages that are not indexed yet."""
    return int(conn.value(_BEHIND))


_FILTERED = """
SELECT m.pk, m.id, m.created_at, m.role, m.content, s.id, s.name, s.project, i.ord
  FROM messages m
  LEFT JOIN progression_items i ON i.message_id = m.id
  LEFT JOIN progression_heads p ON p.pk = i.prog
  LEFT JOIN sessions s ON s.progression_id = p.id
 WHERE m.pk = :pk
   AND (:project IS NULL OR s.project = :project)
   AND (:session IS NULL OR s.id = :session)
   AND (:since IS NULL OR m.created_at >= :since)
 ORDER BY s.id IS NULL LIMIT 1
"""
_NEWEST = """
SELECT rowid FROM messages_fts
 WHERE messages_fts MATCH :query AND rowid >= :from AND rowid < :below AND rowid NOT IN (SELECT pk FROM search_dirty)
 ORDER BY rowid DESC LIMIT :n
"""
_IN_SESSIONS = """
SELECT rowid FROM messages_fts
 WHERE messages_fts MATCH :query AND rowid >= :from AND rowid < :below AND rowid NOT IN (SELECT pk FROM search_dirty)
   AND EXISTS (SELECT 1 FROM messages m
                CROSS JOIN progression_items i ON i.message_id = m.id
                CROSS JOIN progression_heads h ON h.pk = i.prog
                CROSS JOIN sessions s ON s.progression_id = h.id
                WHERE m.pk = messages_fts.rowid AND (:project IS NULL OR s.project = :project)
                  AND (:session IS NULL OR s.id = :session))
 ORDER BY rowid DESC LIMIT :n
"""
_NEWEST_TAIL = """
SELECT rowid FROM temp.tail_fts t
 WHERE tail_fts MATCH :query AND rowid < :below
   AND (:since IS NULL OR (SELECT created_at FROM messages WHERE pk = t.rowid) >= :since)
   AND (:project IS NULL AND :session IS NULL
        OR EXISTS (SELECT 1 FROM messages m
                    CROSS JOIN progression_items i ON i.message_id = m.id
                    CROSS JOIN progression_heads h ON h.pk = i.prog
                    CROSS JOIN sessions s ON s.progression_id = h.id
                    WHERE m.pk = t.rowid AND (:project IS NULL OR s.project = :project)
                      AND (:session IS NULL OR s.id = :session)))
 ORDER BY rowid DESC LIMIT :n
"""
# not ORDER BY rank: that computes the relevance of every match in the range before it filters
_BEST = """
SELECT rowid FROM messages_fts
 WHERE messages_fts MATCH :query AND rowid >= :oldest AND rowid <= :newest
   AND +rowid IN (SELECT value FROM json_each(:wanted))
 ORDER BY bm25(messages_fts), rowid DESC
"""
_IN_SCOPE = """
SELECT 1 FROM messages m
  LEFT JOIN progression_items i ON i.message_id = m.id
  LEFT JOIN progression_heads p ON p.pk = i.prog
  LEFT JOIN sessions s ON s.progression_id = p.id
 WHERE m.pk = :pk
   AND (:project IS NULL OR s.project = :project)
   AND (:session IS NULL OR s.id = :session)
   AND (:since IS NULL OR m.created_at >= :since)
 LIMIT 1
"""
_CHUNK = 50
_NEAR = 16_384  # newest messages that are searched for those of a large project before its messages are listed


def search(
    conn: Connection,
    query: str,
    *,
    limit: int = 20,
    ranked: bool = False,
    project: str | None = None,
    session_id: str | None = None,
    since: float | None = None,
    max_chars: int = 200,
) -> list[Hit]:
    """Matching messages, newest first; `ranked`: the most relevant among the newest thousand."""
    match = match_expression(query)
    scope = Scope(project, session_id, since)
    hits: list[Hit] = []
    with snapshot(conn):
        for pk in _ranked(conn, match, scope) if ranked else _newest(conn, match, scope):
            hit = find_hit(conn, pk, scope._asdict(), query, max_chars)
            if hit is not None:
                hits.append(hit)
            if len(hits) >= limit:
                break
    return hits


def find_hit(conn: Connection, pk: int, params: dict[str, Any], query: str, max_chars: int) -> Hit | None:
    """A message as a hit, None where the scope excludes it."""
    row = conn.one(_FILTERED, params | {"pk": pk})
    if row is None:
        return None
    _, message_id, created_at, role, content, session_id, name, project, ord_ = row
    text = snippet(readable_text(content), query, max_chars)
    return Hit(message_id, session_id, name, project, ord_, created_at, role, text)


@contextmanager
def snapshot(conn: Connection) -> Iterator[None]:
    """One transaction for index, tail and messages: they agree, and filling the tail costs a third."""
    if conn.raw.in_transaction:
        yield
        return
    conn.execute("BEGIN")
    try:
        yield
    finally:
        conn.rollback()


def _newest(conn: Connection, match: str, scope: Scope) -> Iterator[int]:
    mark = _fill_tail(conn)
    # a changed message is in the tail although it may be old
    return heapq.merge(_unindexed(conn, match, scope), _indexed(conn, match, scope, mark + 1), reverse=True)


def _unindexed(conn: Connection, match: str, scope: Scope) -> Iterator[int]:
    return _chunks(lambda below: conn.all(_NEWEST_TAIL, _page(match, below) | scope._asdict()), _ALL)


def _indexed(conn: Connection, match: str, scope: Scope, below: int) -> Iterator[int]:
    """Matches below a key. A large project is likely among the newest; only then are all its messages listed."""
    ranges = row_ranges(conn, scope, FEW)
    if ranges is None:
        near = max(below - _NEAR, 0)
        yield from _in_sessions(conn, match, scope, RowRange(near, below))
        below = near
        ranges = row_ranges(conn, scope, MANY)
    if ranges is None:
        yield from _in_sessions(conn, match, scope, RowRange(0, below))
        return
    for rows in ranges:
        yield from _within(conn, match, rows._replace(high=min(rows.high, below)))


def _within(conn: Connection, match: str, rows: RowRange) -> Iterator[int]:
    low, high, members = rows
    matches = _chunks(lambda below: conn.all(_NEWEST, _page(match, below) | {"from": low}), high)
    return matches if members is None else (pk for pk in matches if pk in members)


def _in_sessions(conn: Connection, match: str, scope: Scope, rows: RowRange) -> Iterator[int]:
    """Matches in sessions of the scope, filtered inside the query: most matches are in others."""
    narrowed = {"from": rows.low, "project": scope.project, "session": scope.session}
    return _chunks(lambda below: conn.all(_IN_SESSIONS, _page(match, below) | narrowed), rows.high)


def _page(match: str, below: int) -> dict[str, Any]:
    return {"query": match, "below": below, "n": _CHUNK}


def _chunks(fetch: Callable[[int], list[tuple[Any, ...]]], below: int) -> Iterator[int]:
    while True:
        rows = fetch(below)
        for (pk,) in rows:
            yield pk
        if len(rows) < _CHUNK:
            return
        below = rows[-1][0]


def _ranked(conn: Connection, match: str, scope: Scope) -> Iterator[int]:
    mark = _fill_tail(conn)
    yield from _in_scope(conn, _unindexed(conn, match, scope), scope)
    newest = _in_scope(conn, _indexed(conn, match, scope, mark + 1), scope)
    if newest:
        ends = {"newest": newest[0], "oldest": newest[-1]}
        yield from (pk for (pk,) in conn.all(_BEST, {"query": match, "wanted": json.dumps(newest)} | ends))


def _in_scope(conn: Connection, pks: Iterable[int], scope: Scope) -> list[int]:
    """The first matches in the scope, as many as are ranked."""
    if scope != Scope():
        params = scope._asdict()
        pks = (pk for pk in pks if conn.one(_IN_SCOPE, params | {"pk": pk}) is not None)
    return list(islice(pks, _RANKED))


_TAIL_INDEX = """
CREATE VIRTUAL TABLE IF NOT EXISTS temp.tail_fts USING fts5 (
  text, content = '', tokenize = 'unicode61 remove_diacritics 2')
"""
_ADD_TAIL = "INSERT INTO temp.tail_fts (rowid, text) VALUES (:pk, :text)"
_CHANGED = "SELECT m.pk, m.content FROM search_dirty d JOIN messages m ON m.pk = d.pk WHERE m.pk <= :mark"
_ALL = 2**62


def _fill_tail(conn: Connection) -> int:
    """Fill a temporary index with the messages that the real one lacks; returns the mark of the real one."""
    mark = int(conn.value(_MARK))
    conn.execute("DROP TABLE IF EXISTS temp.tail_fts")
    conn.execute(_TAIL_INDEX)
    # row by row: after an import the tail is long, and one message may be 100 MB
    for pk, content in chain(conn.each(_TAIL, {"mark": mark, "limit": _ALL}), conn.each(_CHANGED, {"mark": mark})):
        conn.execute(_ADD_TAIL, {"pk": pk, "text": readable_text(content)})
    return mark


_WORD = re.compile(r"\w+")
_TERM = re.compile(r"(\w+)(\*?)")


def has_words(query: str) -> bool:
    return _WORD.search(query) is not None


def match_expression(query: str) -> str:
    """An FTS5 expression for a query: all words must match; `begin*` is a prefix, "…" a phrase."""
    parts: list[str] = []
    for number, piece in enumerate(query.split('"')):
        if number % 2:
            words = _WORD.findall(piece)
            parts += ['"' + " ".join(words) + '"'] if words else []
        else:
            parts += [f'"{word}"{star}' for word, star in _TERM.findall(piece)]
    if not parts:
        raise InvalidInput("the query has no word to search for", hint="give at least one word")
    return " AND ".join(parts)


def snippet(text: str, query: str, max_chars: int) -> str:
    """The text around the first matching word, on one line."""
    words = _WORD.findall(query)
    match = re.search("|".join(map(re.escape, words)), text, re.IGNORECASE) if words else None
    start = max(0, (match.start() if match else 0) - max_chars // 3)
    line = " ".join(text[start : start + max_chars].split())
    return ("…" if start else "") + line + ("…" if start + max_chars < len(text) else "")
