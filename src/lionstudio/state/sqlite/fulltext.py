"""Full-text search over messages, complete at every instant. SQLite only (FTS5).

The index is filled in batches up to a mark; what lies above the mark is put into a temporary index of
the same kind at query time, so that both halves answer by the same rules.
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
from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.message_text import text_of
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.search_ranges import FEW, MANY, RowRange, Scope, note_times, row_ranges

_BATCH = 500  # messages in one transaction of the indexer: short, so that writers do not wait
_RANKED = 1000  # relevance is computed among this many newest matches; all of a common word take 400 ms


class Hit(NamedTuple):
    """A message that matches, where it stands, and the piece of text that does."""

    message_id: str
    session_id: str | None
    session_name: str | None
    project: str | None
    ord: int | None
    created_at: float
    role: str | None
    snippet: str
    score: float | None = None  # how near it is, where it was looked for by meaning


_MARK = "SELECT indexed_pk FROM search_state"
_TAIL = "SELECT pk, content FROM messages WHERE pk > :mark ORDER BY pk LIMIT :limit"
_DIRTY = "SELECT d.pk, m.pk, m.content FROM search_dirty d LEFT JOIN messages m ON m.pk = d.pk LIMIT :limit"
_DROP = "DELETE FROM messages_fts WHERE rowid = :pk"
_ADD = "INSERT INTO messages_fts (rowid, text) VALUES (:pk, :text)"
_CLEAN = "DELETE FROM search_dirty WHERE pk = :pk"
_MOVE = "UPDATE search_state SET indexed_pk = :pk"


def index_batch(conn: Connection, limit: int = _BATCH) -> int:
    """Put the next messages into the index; how many there were (0: it is up to date)."""
    mark, dirty = conn.value(_MARK), conn.all(_DIRTY, {"limit": limit})
    for pk, exists, content in dirty:
        conn.execute(_DROP, {"pk": pk})
        if exists and pk <= mark:
            conn.execute(_ADD, {"pk": pk, "text": _text(content)})
            note_times(conn, pk - 1, pk)
        conn.execute(_CLEAN, {"pk": pk})
    fresh = conn.all(_TAIL, {"mark": mark, "limit": limit - len(dirty)})
    for pk, content in fresh:
        conn.execute(_ADD, {"pk": pk, "text": _text(content)})
    if fresh:
        note_times(conn, mark, fresh[-1][0])
        conn.execute(_MOVE, {"pk": fresh[-1][0]})
    return len(dirty) + len(fresh)


_BEHIND = "SELECT coalesce(max(pk), 0) - (SELECT indexed_pk FROM search_state) FROM messages"


def unindexed(conn: Connection) -> int:
    """About how many messages the index lacks."""
    return int(conn.value(_BEHIND))


def _text(content: Any) -> str:
    return text_of(load_or_keep(content)).encode("utf-8", "replace").decode()


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
_BELONGING = """
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
# not ORDER BY rank: that computes the relevance of every match in the range before it looks at which are wanted
_BEST = """
SELECT rowid FROM messages_fts
 WHERE messages_fts MATCH :query AND rowid >= :oldest AND rowid <= :newest
   AND +rowid IN (SELECT value FROM json_each(:wanted))
 ORDER BY bm25(messages_fts), rowid DESC
"""
_IS_WANTED = """
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
_NEAR = 16_384  # messages that are looked at for those of a large project before they are listed


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
    """Messages that match, newest first, or the most relevant among the newest thousand of what is asked for."""
    match = match_expression(query)
    scope = Scope(project, session_id, since)
    hits: list[Hit] = []
    with one_moment(conn):
        for pk in _ranked(conn, match, scope) if ranked else _newest(conn, match, scope):
            hit = find_hit(conn, pk, scope._asdict(), query, max_chars)
            if hit is not None:
                hits.append(hit)
            if len(hits) >= limit:
                break
    return hits


def find_hit(conn: Connection, pk: int, bound: dict[str, Any], query: str, max_chars: int) -> Hit | None:
    """A message as a hit, None where the filters leave it out."""
    row = conn.one(_FILTERED, bound | {"pk": pk})
    return None if row is None else _hit(row, query, max_chars)


@contextmanager
def one_moment(conn: Connection) -> Iterator[None]:
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
    """Matches below a key; those of a large project are met soon, and only if not, all its messages are listed."""
    found = row_ranges(conn, scope, FEW)
    if found is None:
        near = max(below - _NEAR, 0)
        yield from _belonging(conn, match, scope, RowRange(near, below))
        below = near
        found = row_ranges(conn, scope, MANY)
    if found is None:
        yield from _belonging(conn, match, scope, RowRange(0, below))
        return
    for stretch in found:
        yield from _within(conn, match, stretch._replace(high=min(stretch.high, below)))


def _within(conn: Connection, match: str, stretch: RowRange) -> Iterator[int]:
    low, high, members = stretch
    found = _chunks(lambda below: conn.all(_NEWEST, _page(match, below) | {"from": low}), high)
    return found if members is None else (pk for pk in found if pk in members)


def _belonging(conn: Connection, match: str, scope: Scope, stretch: RowRange) -> Iterator[int]:
    """Matches whose session is wanted, told inside the query: most of them are of others."""
    narrowed = {"from": stretch.low, "project": scope.project, "session": scope.session}
    return _chunks(lambda below: conn.all(_BELONGING, _page(match, below) | narrowed), stretch.high)


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
    yield from _wanted(conn, _unindexed(conn, match, scope), scope)
    newest = _wanted(conn, _indexed(conn, match, scope, mark + 1), scope)
    if newest:
        ends = {"newest": newest[0], "oldest": newest[-1]}
        yield from (pk for (pk,) in conn.all(_BEST, {"query": match, "wanted": json.dumps(newest)} | ends))


def _wanted(conn: Connection, found: Iterable[int], scope: Scope) -> list[int]:
    """The first that the filters leave, as many as are ranked: others must not take their places."""
    if scope != Scope():
        bound = scope._asdict()
        found = (pk for pk in found if conn.one(_IS_WANTED, bound | {"pk": pk}) is not None)
    return list(islice(found, _RANKED))


_TAIL_INDEX = """
CREATE VIRTUAL TABLE IF NOT EXISTS temp.tail_fts USING fts5 (
  text, content = '', tokenize = 'unicode61 remove_diacritics 2')
"""
_ADD_TAIL = "INSERT INTO temp.tail_fts (rowid, text) VALUES (:pk, :text)"
_CHANGED = "SELECT m.pk, m.content FROM search_dirty d JOIN messages m ON m.pk = d.pk WHERE m.pk <= :mark"
_ALL = 2**62


def _fill_tail(conn: Connection) -> int:
    """A temporary index of what the real one lacks; the mark up to which the real one counts."""
    mark = int(conn.value(_MARK))
    conn.execute("DROP TABLE IF EXISTS temp.tail_fts")
    conn.execute(_TAIL_INDEX)
    # row by row: after an import the tail is long, and one message may be 100 MB
    for pk, content in chain(conn.each(_TAIL, {"mark": mark, "limit": _ALL}), conn.each(_CHANGED, {"mark": mark})):
        conn.execute(_ADD_TAIL, {"pk": pk, "text": _text(content)})
    return mark


_WORD = re.compile(r"\w+")
_TERM = re.compile(r"(\w+)(\*?)")


def has_words(query: str) -> bool:
    """Whether there is anything that words could match."""
    return _WORD.search(query) is not None


def match_expression(query: str) -> str:
    """What a person typed, as an FTS5 expression: all the words; `begin*` is a beginning, "…" a phrase."""
    parts: list[str] = []
    for number, piece in enumerate(query.split('"')):
        if number % 2:
            words = _WORD.findall(piece)
            parts += ['"' + " ".join(words) + '"'] if words else []
        else:
            parts += [f'"{word}"{star}' for word, star in _TERM.findall(piece)]
    if not parts:
        raise InvalidInput("there is no word to search for", hint="give at least one word")
    return " AND ".join(parts)


def _hit(row: tuple[Any, ...], query: str, max_chars: int) -> Hit:
    _, message_id, created_at, role, content, session_id, name, project, ord_ = row
    return Hit(message_id, session_id, name, project, ord_, created_at, role, snippet(_text(content), query, max_chars))


def snippet(text: str, query: str, max_chars: int) -> str:
    """The stretch of a text around the first word that matches, on one line."""
    words = _WORD.findall(query)
    found = re.search("|".join(map(re.escape, words)), text, re.IGNORECASE) if words else None
    start = max(0, (found.start() if found else 0) - max_chars // 3)
    cut = text[start : start + max_chars]
    line = " ".join(cut.split())
    return ("…" if start else "") + line + ("…" if start + max_chars < len(text) else "")
