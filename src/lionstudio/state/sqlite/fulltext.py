"""Full-text search over messages (FTS5), complete at every moment.

The index is filled in batches up to a mark. Messages above the mark are read, newest first, only as far as the search
needs. So are the newest messages of a search for a prefix that many words have: FTS5 would read all of their entries.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from types import MappingProxyType
from typing import Any

from lionstudio.state.backends import fulltext
from lionstudio.state.connection import Connection, Row
from lionstudio.state.messages.rows import readable_text
from lionstudio.state.sqlite.maintenance import count_unindexed as count_unindexed
from lionstudio.state.sqlite.search_hits import Hit, Match, load_hits, matches_of
from lionstudio.state.sqlite.search_ranges import (
    FEW,
    MANY,
    RowRange,
    Scope,
    record_zone_times,
    row_ranges,
    scope_of,
    session_condition,
)
from lionstudio.state.sqlite.search_scan import STORED, Scan, index_pages
from lionstudio.state.sqlite.search_text import QueryPart, match_all, parse_query, query_parts

# messages and characters in one transaction of the indexer: short, so that writers do not wait
_BATCH, _BATCH_CHARS = 500, 1_000_000
_RANKED = 1000  # relevance is computed for this many newest matches; all matches of a common word take 400 ms


_MARK = "SELECT indexed_pk FROM search_state"
_TAIL = "SELECT pk, content FROM messages WHERE pk > :mark ORDER BY pk LIMIT :limit"
_DIRTY = "SELECT pk FROM search_dirty LIMIT :limit"
_CHANGE = "SELECT d.content, m.pk, m.content FROM search_dirty d LEFT JOIN messages m ON m.pk = d.pk WHERE d.pk = :pk"
# needs the text that was indexed: a changed rule in model/message_text.py needs a migration that empties the index
_DROP = "INSERT INTO messages_fts (messages_fts, rowid, text) VALUES ('delete', :pk, :text)"
_ADD = "INSERT INTO messages_fts (rowid, text) VALUES (:pk, :text)"
_ADD_ALL = "INSERT INTO messages_fts (rowid, text) VALUES (?, ?)"
_CLEAN = "DELETE FROM search_dirty WHERE pk = :pk"
_MOVE = "UPDATE search_state SET indexed_pk = :pk"


def index_batch(conn: Connection, limit: int = _BATCH) -> int:
    """Index the next messages; returns their number (0: the index is up to date)."""
    mark, size, count = int(conn.value(_MARK)), 0, 0
    for (pk,) in conn.all(_DIRTY, {"limit": limit}):
        size += _index_again(conn, pk, mark)
        count += 1
        if size > _BATCH_CHARS:
            return count
    added: list[Row] = []
    for pk, content in conn.each(_TAIL, {"mark": mark, "limit": limit - count}):
        text = readable_text(content)
        added.append((pk, text))
        size += len(text)
        if size > _BATCH_CHARS:
            break
    if added:
        conn.run_many(_ADD_ALL, added)
        last = added[-1][0]
        record_zone_times(conn, mark, last)
        conn.execute(_MOVE, {"pk": last})
    return count + len(added)


def _index_again(conn: Connection, pk: int, mark: int) -> int:
    """Replace the entries of a changed message; returns the characters that were read."""
    indexed, exists, content = conn.one(_CHANGE, {"pk": pk}) or (None, None, None)
    before, text = readable_text(indexed), ""
    conn.execute(_DROP, {"pk": pk, "text": before})
    if exists and pk <= mark:
        text = readable_text(content)
        conn.execute(_ADD, {"pk": pk, "text": text})
        record_zone_times(conn, pk - 1, pk)
    conn.execute(_CLEAN, {"pk": pk})
    return len(before) + len(text)


def index_all(conn: Connection) -> None:
    """Bring the index up to date in short transactions; it then has no word of a deleted message."""
    while True:
        with conn.transaction():
            if not index_batch(conn):
                return


_HAS_DIRTY = "SELECT EXISTS (SELECT 1 FROM search_dirty)"


def has_deleted(conn: Connection) -> bool:
    """Whether the index has words of changed or deleted messages."""
    return bool(conn.value(_HAS_DIRTY))


def forget_deleted(conn: Connection, limit: int = _BATCH) -> bool:
    """Take the words of changed and deleted messages out of the index; False when none is left."""
    if not has_deleted(conn):
        return False
    index_batch(conn, limit)
    return True


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
                WHERE m.pk = messages_fts.rowid AND {})
 ORDER BY rowid DESC LIMIT :n
"""
# not ORDER BY rank: that computes the relevance of every match in the range before it filters
_BEST = """
SELECT rowid FROM messages_fts
 WHERE messages_fts MATCH :query AND rowid >= :oldest AND rowid <= :newest
   AND +rowid IN (SELECT value FROM json_each(:wanted))
 ORDER BY bm25(messages_fts), rowid DESC
"""
_ALL = 2**62
_CHUNK, _LARGEST_CHUNK = 50, 3_200
_ROWS = 500
_NEAR = 16_384  # newest messages that are searched for those of a large project before its messages are listed


def search(
    conn: Connection,
    /,
    query: str,
    *,
    limit: int = 20,
    ranked: bool = False,
    max_chars: int = 200,
    lines: bool = False,
    **filters: Any,
) -> list[Hit]:
    """Matching messages, newest first; `ranked`: the most relevant among the newest thousand.

    The filters are those of `Scope`, with `session_id` for the session.
    """
    words, scope = parse_query(query, scope_of(**filters))
    with snapshot(conn):
        matches = list(islice(find_matches(conn, words, scope, ranked=ranked), limit))
        return load_hits(conn, matches, words, max_chars, lines=lines)


def find_matches(
    conn: Connection, words: str, scope: Scope, *, ranked: bool = False, below: int = _ALL
) -> Iterator[Match]:
    """Messages in scope that match, newest first or the most relevant first; only inside `snapshot`."""
    index = fulltext(conn)
    if ranked:
        return iter(index.ranked_matches(conn, words, scope))
    return matches_of(conn, index.newest_rows(conn, words, scope, below), scope)


@contextmanager
def snapshot(conn: Connection) -> Iterator[None]:
    """One transaction for index, tail and messages: they agree, and filling the tail costs a third."""
    if conn.in_transaction:
        yield
        return
    conn.execute("BEGIN")
    try:
        yield
    finally:
        conn.rollback()


_WALKED = 16_384  # messages that are read for prefixes with many matches; after that the index is read
_MANY_PAGES = 200  # of the index, 4 KB each: reading as many takes 20 ms


class _Query:
    """The words and the scope of a search, and how its messages are found."""

    def __init__(self, conn: Connection, words: str, scope: Scope) -> None:
        parts = query_parts(words, scope.file)
        self.scope = scope
        self.match = match_all(parts)
        self.scan = Scan(conn, parts)
        others = [part for part in parts if not part.prefix or not self._is_long(conn, part)]
        self.walks = len(others) < len(parts)
        self.match_others = match_all(others)
        self.left = _WALKED

    def _is_long(self, conn: Connection, part: QueryPart) -> bool:
        return index_pages(conn, self.scan.last_token(part)) > _MANY_PAGES


def newest_rows(conn: Connection, words: str, scope: Scope, below: int = _ALL) -> Iterator[int]:
    """Keys of messages that match and may be in scope, newest first."""
    query, mark = _Query(conn, words, scope), int(conn.value(_MARK))
    # a changed message is read although it may be old
    indexed = _indexed(conn, query, min(mark + 1, below))
    return heapq.merge(_unindexed(conn, query, mark, below), indexed, reverse=True)


_UNINDEXED = f"""
SELECT m.pk, {STORED} FROM messages m WHERE m.pk > :mark AND m.pk < :below ORDER BY m.pk DESC LIMIT :n
"""  # noqa: S608
_CHANGED = f"""
SELECT m.pk, {STORED} FROM search_dirty d CROSS JOIN messages m ON m.pk = d.pk
 WHERE d.pk <= :mark AND d.pk < :below ORDER BY d.pk DESC LIMIT :n
"""  # noqa: S608


def _unindexed(conn: Connection, query: _Query, mark: int, below: int = _ALL) -> Iterator[int]:
    for sql in (_UNINDEXED, _CHANGED):
        yield from query.scan.matching(_rows(conn, sql, {"mark": mark}, below))


def _rows(conn: Connection, sql: str, params: dict[str, Any], below: int) -> Iterator[Row]:
    """All rows of a query from a key downwards; no statement stays open for long, and one row is in memory."""
    count = _ROWS
    while count == _ROWS:
        count = 0
        for count, row in enumerate(conn.each(sql, params | {"below": below, "n": _ROWS}), 1):  # noqa: B007
            yield row
        below = row[0] if count else below


def _indexed(conn: Connection, query: _Query, below: int) -> Iterator[int]:
    """Matches below a key. A large project is likely among the newest; only then are all its messages listed."""
    scope = query.scope
    ranges = row_ranges(conn, scope, FEW)
    if ranges is None:
        near = max(below - _NEAR, 0)
        yield from _in_sessions(conn, query, RowRange(near, below))
        below = near
        ranges = row_ranges(conn, scope, MANY)
    if ranges is None:
        yield from _in_sessions(conn, query, RowRange(0, below))
        return
    for rows in ranges:
        yield from _within(conn, query, rows._replace(high=min(rows.high, below)))


def _within(conn: Connection, query: _Query, rows: RowRange) -> Iterator[int]:
    walk = _Walk(conn, query, rows)
    yield from walk
    matches = _chunks(conn, _NEWEST, query.match, rows._replace(high=walk.reached))
    yield from matches if rows.members is None else (pk for pk in matches if pk in rows.members)


def _in_sessions(conn: Connection, query: _Query, rows: RowRange) -> Iterator[int]:
    """Matches in sessions of the scope, filtered inside the query: most matches are in others."""
    walk = _Walk(conn, query, rows)
    yield from walk
    sql, rows = _IN_SESSIONS.format(session_condition(query.scope)), rows._replace(high=walk.reached)
    yield from _chunks(conn, sql, query.match, rows, query.scope.of_sessions)


_WALK = f"""
SELECT m.pk, {STORED} FROM messages m
 WHERE m.pk >= :from AND m.pk < :below AND m.pk NOT IN (SELECT pk FROM search_dirty) ORDER BY m.pk DESC LIMIT :n
"""  # noqa: S608
_WALK_KEYS = f"""
SELECT m.pk, {STORED} FROM json_each(:pks) w CROSS JOIN messages m ON m.pk = w.value
 WHERE m.pk NOT IN (SELECT pk FROM search_dirty)
"""  # noqa: S608


class _Walk:
    """Matches in a range without the index of long prefixes: messages are read, or those that have the other words."""

    def __init__(self, conn: Connection, query: _Query, rows: RowRange) -> None:
        self._conn, self._query, self._range = conn, query, rows
        self.reached = rows.high  # below this, the index has to be read

    def __iter__(self) -> Iterator[int]:
        return self._query.scan.matching(self._candidates()) if self._query.walks else iter(())

    def _candidates(self) -> Iterator[Row]:
        query = self._query
        for row in self._messages():
            if query.left <= 0:
                return
            query.left -= 1
            self.reached = row[0]
            yield row
        self.reached = self._range.low

    def _messages(self) -> Iterator[Row]:
        conn, (low, high, members) = self._conn, self._range
        match = self._query.match_others
        if match:
            keys = _chunks(conn, _NEWEST, match, self._range)
        elif members is not None:
            keys = iter(sorted((pk for pk in members if low <= pk < high), reverse=True))
        else:
            yield from _rows(conn, _WALK, {"from": low}, high)
            return
        while some := list(islice(keys, _CHUNK)):
            yield from conn.each(_WALK_KEYS, {"pks": json.dumps(some)})


def _chunks(
    conn: Connection, sql: str, match: str, rows: RowRange, params: Mapping[str, Any] = MappingProxyType({})
) -> Iterator[int]:
    """Matches of the index in a range; longer chunks later, because each reads the entries of a prefix again."""
    below, size = rows.high, _CHUNK
    while below > rows.low:
        matches = conn.all(sql, {"query": match, "from": rows.low, "below": below, "n": size, **params})
        yield from (pk for (pk,) in matches)
        if len(matches) < size:
            return
        below, size = matches[-1][0], min(size * 8, _LARGEST_CHUNK)


def ranked_matches(conn: Connection, words: str, scope: Scope) -> list[Match]:
    """The most relevant among the newest thousand."""
    query, mark = _Query(conn, words, scope), int(conn.value(_MARK))
    unindexed = list(islice(matches_of(conn, _unindexed(conn, query, mark), scope), _RANKED))
    newest = {one.pk: one for one in islice(matches_of(conn, _indexed(conn, query, mark + 1), scope), _RANKED)}
    if not newest:
        return unindexed
    if query.walks:
        best = _rank_apart(conn, query.match, list(newest))
    else:
        ends = {"newest": max(newest), "oldest": min(newest)}
        best = conn.all(_BEST, {"query": query.match, "wanted": json.dumps(list(newest))} | ends)
    return unindexed + [newest[pk] for (pk,) in best]


_APART = """
CREATE VIRTUAL TABLE temp.ranked_fts USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2')
"""
_ADD_APART = "INSERT INTO temp.ranked_fts (rowid, text) VALUES (:pk, :text)"
_BEST_APART = "SELECT rowid FROM temp.ranked_fts WHERE ranked_fts MATCH :query ORDER BY bm25(ranked_fts), rowid DESC"
_CONTENTS = "SELECT m.pk, m.content FROM json_each(:pks) w CROSS JOIN messages m ON m.pk = w.value"


def _rank_apart(conn: Connection, match: str, pks: list[int]) -> list[Row]:
    """Rank messages in an index of their own, where a prefix has few entries."""
    conn.execute("DROP TABLE IF EXISTS temp.ranked_fts")
    conn.execute(_APART)
    for pk, content in conn.each(_CONTENTS, {"pks": json.dumps(pks)}):
        conn.execute(_ADD_APART, {"pk": pk, "text": readable_text(content)})
    return conn.all(_BEST_APART, {"query": match})
