"""Pages of messages as JSON that SQLite itself makes: 10,000 messages are one text, never parsed here.

A content beyond CUT bytes is truncated value by value; `content_slice` reads the rest.
"""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.errors import NotFound
from lionstudio.model.json_codec import dump_text
from lionstudio.state.backends import window_sql
from lionstudio.state.connection import Connection

WHOLE_BYTES = 65_536  # a content of more bytes is truncated
PREVIEW_CHARS = 4_096  # of each value of a truncated content
MOST_BYTES = 32_000_000  # of one page; the rest comes with the next
# Messages in one statement, which bounds the memory of a page.
_BATCH = 500


class JsonPage(NamedTuple):
    """Messages as JSON separated by commas, in pieces; the ords of the first and the last."""

    pieces: tuple[bytes, ...]
    length: int
    first: int | None
    last: int | None
    has_more: bool

    @property
    def size(self) -> int:
        return sum(map(len, self.pieces))


class MessageScope(NamedTuple):
    """The progression to read, and the branch of all its messages, if it is known."""

    prog: int
    session_id: str | None
    branch_id: str | None


# concat copies a content once; a chain of || would copy it for every field that follows. A long patch in the metadata
# of a result is left out: `changes.py` reads it. Text and blobs are greater than any number.
_WINDOW = """
SELECT CAST(group_concat(piece, ',') AS BLOB), count(*), min(ord), max(ord) FROM (
  SELECT i.ord AS ord, CASE WHEN m.pk IS NULL THEN concat(
    '{"ord":', i.ord, ',"id":', json_quote(CAST(i.message_id AS TEXT)), ',"branch_id":', coalesce(:quoted, 'null'),
    ',"missing":true,"created_at":null,"metadata":{},"content":null,"size":0,"cut":null}')
  ELSE concat(
    '{"ord":', i.ord, ',"id":', json_quote(CAST(i.message_id AS TEXT)), ',"branch_id":',
    CASE WHEN :branch IS NOT NULL THEN :quoted ELSE coalesce(
      (SELECT json_quote(b.id) FROM progression_items j
        CROSS JOIN progression_heads g ON g.pk = j.prog CROSS JOIN branches b ON b.progression_id = g.id
        WHERE j.message_id = i.message_id AND b.session_id = :session LIMIT 1), 'null') END,
    ',"missing":false,"created_at":',
    iif(m.created_at > -1e15 AND m.created_at < 1e15, format('%!.17g', m.created_at), 'null'),
    CASE WHEN m.sender IS NULL AND m.recipient IS NULL AND m.channel IS NULL
         THEN ',"sender":null,"recipient":null,"channel":null'
         ELSE concat(',"sender":', json_quote(CAST(m.sender AS TEXT)),
                     ',"recipient":', json_quote(CAST(m.recipient AS TEXT)),
                     ',"channel":', json_quote(CAST(m.channel AS TEXT))) END,
    ',"role":', json_quote(CAST(m.role AS TEXT)),
    ',"lion_class":', json_quote(t.lion_class), ',"size":', coalesce(octet_length(m.content), 0),
    ',"metadata":', CASE WHEN m.node_metadata IS NULL THEN '{}'
                         WHEN NOT json_valid(m.node_metadata)
                         THEN json_object('unreadable', substr(CAST(m.node_metadata AS TEXT), 1, :cut))
                         WHEN octet_length(m.node_metadata) > :cut / 64 THEN json_remove(m.node_metadata, '$.patch')
                         ELSE m.node_metadata END,
    CASE
      WHEN m.content IS NULL THEN ',"cut":null,"content":null'
      WHEN NOT json_valid(m.content) THEN concat(
        ',"cut":', iif(octet_length(m.content) > :cut, json_object('', length(m.content)), 'null'),
        ',"content":', json_object('unreadable', substr(CAST(m.content AS TEXT), 1, :cut)))
      WHEN octet_length(m.content) <= :cut THEN concat(',"cut":null,"content":', m.content)
      WHEN substr(m.content, 1, 1) = '{' THEN (
        SELECT concat(
            ',"cut":', iif(count(*) < 64, json_group_object(key, chars) FILTER (WHERE chars > :preview),
                           json_object('', length(m.content))),
            ',"content":', json_group_object(key, CASE
              WHEN type IN ('true', 'false') THEN json(type)
              WHEN type = 'text' OR chars > :preview THEN substr(value, 1, :preview)
              WHEN type IN ('object', 'array') THEN json(value)
              ELSE value END))
          FROM (SELECT key, type, value, length(value) AS chars FROM json_each(m.content) LIMIT 64))
      WHEN substr(m.content, 1, 1) = '"' THEN concat(
        ',"cut":', json_object('', length(m.content)),
        ',"content":', json_quote(substr(m.content ->> '$', 1, :preview)))
      ELSE concat(
        ',"cut":', json_object('', length(m.content)), ',"content":', json_quote(substr(m.content, 1, :preview))) END,
    '}') END AS piece
    FROM progression_items i
    LEFT JOIN messages m ON m.id = i.message_id
    LEFT JOIN message_types t ON t.type_id = m.lion_class
   WHERE i.prog = :prog AND i.ord > :after AND i.ord < :before ORDER BY i.ord LIMIT :limit)
"""
# The same for messages of one branch that are all whole, as most are: a quarter less work, because SQLite prepares no
# lookups and no scan of JSON. A page with a larger content is read by _WINDOW.
_WHOLE = """
SELECT CAST(group_concat(piece, ',') AS BLOB), count(*), min(ord), max(ord), max(size) FROM (
  SELECT i.ord AS ord, octet_length(m.content) AS size, CASE WHEN m.pk IS NULL THEN concat(
    '{"ord":', i.ord, ',"id":', json_quote(CAST(i.message_id AS TEXT)), ',"branch_id":', :quoted,
    ',"missing":true,"created_at":null,"metadata":{},"content":null,"size":0,"cut":null}')
  ELSE concat(
    '{"ord":', i.ord, ',"id":', json_quote(CAST(i.message_id AS TEXT)), ',"branch_id":', :quoted,
    ',"missing":false,"created_at":',
    iif(m.created_at > -1e15 AND m.created_at < 1e15, format('%!.17g', m.created_at), 'null'),
    CASE WHEN m.sender IS NULL AND m.recipient IS NULL AND m.channel IS NULL
         THEN ',"sender":null,"recipient":null,"channel":null'
         ELSE concat(',"sender":', json_quote(CAST(m.sender AS TEXT)),
                     ',"recipient":', json_quote(CAST(m.recipient AS TEXT)),
                     ',"channel":', json_quote(CAST(m.channel AS TEXT))) END,
    ',"role":', json_quote(CAST(m.role AS TEXT)),
    ',"lion_class":', json_quote(t.lion_class), ',"size":', coalesce(octet_length(m.content), 0),
    ',"metadata":', CASE WHEN m.node_metadata IS NULL THEN '{}'
                         WHEN NOT json_valid(m.node_metadata)
                         THEN json_object('unreadable', substr(CAST(m.node_metadata AS TEXT), 1, :cut))
                         WHEN octet_length(m.node_metadata) > :cut / 64 THEN json_remove(m.node_metadata, '$.patch')
                         ELSE m.node_metadata END,
    ',"cut":null,"content":', CASE WHEN m.content IS NULL OR octet_length(m.content) > :cut THEN 'null'
                                   WHEN json_valid(m.content) THEN m.content
                                   ELSE json_object('unreadable', substr(CAST(m.content AS TEXT), 1, :cut)) END,
    '}') END AS piece
    FROM progression_items i
    LEFT JOIN messages m ON m.id = i.message_id
    LEFT JOIN message_types t ON t.type_id = m.lion_class
   WHERE i.prog = :prog AND i.ord > :after AND i.ord < :before ORDER BY i.ord LIMIT :limit)
"""
_BELOW = """
SELECT ord FROM progression_items WHERE prog = :prog AND ord < :before ORDER BY ord DESC LIMIT 1 OFFSET :limit
"""
_ANY_AFTER = "SELECT 1 FROM progression_items WHERE prog = :prog AND ord > :after LIMIT 1"
_END = 2**62


def page_after(conn: Connection, scope: MessageScope, after: int, limit: int, before: int = _END) -> JsonPage:
    """Up to `limit` messages after an ord (and before another), in order."""
    batches: list[JsonPage] = []
    size, start = 0, after
    while limit > 0 and size < MOST_BYTES:
        batch = _read(conn, scope, start, before, min(limit, _BATCH))
        if not batch.length or batch.last is None:
            break
        batches.append(batch)
        start, size, limit = batch.last, size + batch.size, limit - batch.length
        if batch.length < _BATCH and limit > 0:
            break
    more = conn.one(_ANY_AFTER, {"prog": scope.prog, "after": start}) is not None
    return _joined(batches, more)


def page_before(conn: Connection, scope: MessageScope, before: int, limit: int) -> JsonPage:
    """Up to `limit` messages directly before an ord, in order."""
    batches: list[JsonPage] = []
    size, end, below = 0, before, None
    while limit > 0 and size < MOST_BYTES:
        step = min(limit, _BATCH)
        below = conn.value(_BELOW, {"prog": scope.prog, "before": end, "limit": step})
        batch = _read(conn, scope, -1 if below is None else below, end, step)
        if batch.length and batch.first is not None:
            batches.insert(0, batch)
            end, size, limit = batch.first, size + batch.size, limit - batch.length
        if below is None:
            break
    return _joined(batches, below is not None)


def _read(conn: Connection, scope: MessageScope, after: int, before: int, limit: int) -> JsonPage:
    params = {
        "prog": scope.prog,
        "session": scope.session_id,
        "branch": scope.branch_id,
        "quoted": None if scope.branch_id is None else dump_text(scope.branch_id),
        "after": after,
        "before": before,
        "limit": limit,
        "cut": WHOLE_BYTES,
        "preview": PREVIEW_CHARS,
    }
    window = window_sql(conn)
    if window is None and scope.branch_id is not None:
        body, count, first, last, largest = conn.one(_WHOLE, params) or (None, 0, None, None, 0)
        if (largest or 0) <= WHOLE_BYTES:
            return JsonPage((_utf8(body or b""),), count, first, last, False)
    body, count, first, last = conn.one(window or _WINDOW, params) or (None, 0, None, None)
    return JsonPage((_utf8(body or b""),), count, first, last, False)


def _utf8(body: bytes) -> bytes:
    """Replace incomplete UTF-8 that another tool wrote, so that it does not break the list."""
    if body.isascii():
        return body
    try:
        body.decode()
        return body
    except UnicodeDecodeError:
        return body.decode("utf-8", "replace").encode()


def _joined(batches: list[JsonPage], has_more: bool) -> JsonPage:
    if not batches:
        return JsonPage((), 0, None, None, has_more)
    pieces = [piece for batch in batches for piece in batch.pieces]
    pieces[1:] = [b"," + piece for piece in pieces[1:]]
    return JsonPage(tuple(pieces), sum(batch.length for batch in batches), batches[0].first, batches[-1].last, has_more)


_STATUS_AND_COUNT = "SELECT status, message_count FROM sessions WHERE id = :id"
_OF_BRANCH = """
SELECT h.pk, b.session_id FROM branches b JOIN progression_heads h ON h.id = b.progression_id WHERE b.id = :id
"""
# The last positions of the session and of its branches: a branch that ends where the session ends has all messages.
_LAST_MESSAGE = "(SELECT message_id FROM progression_items WHERE prog = {0}.pk ORDER BY ord DESC LIMIT 1)"
_LAST_ORD = "(SELECT max(ord) FROM progression_items WHERE prog = {0}.pk)"
_OF_SESSION = f"""
SELECT h.pk, b.id, {_LAST_MESSAGE.format("h")}, {_LAST_ORD.format("h")},
       {_LAST_MESSAGE.format("g")}, {_LAST_ORD.format("g")}
  FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
  LEFT JOIN branches b ON b.session_id = s.id LEFT JOIN progression_heads g ON g.id = b.progression_id
 WHERE s.id = :id LIMIT 2
"""  # noqa: S608  (the names are ours)


def status_and_count(conn: Connection, session_id: str) -> tuple[str | None, int] | None:
    """The status and message count of a session, None without the session."""
    row = conn.one(_STATUS_AND_COUNT, {"id": session_id})
    return None if row is None else (row[0], row[1])


def scope_of_session(conn: Connection, session_id: str) -> MessageScope:
    """The scope of a session; with a single branch, no message needs a lookup of its branch."""
    rows = conn.all(_OF_SESSION, {"id": session_id})
    if not rows:
        return MessageScope(-1, session_id, None)
    prog, branch_id, *ends = rows[0]
    return MessageScope(prog, session_id, branch_id if len(rows) == 1 and ends[:2] == ends[2:] else None)


def scope_of_branch(conn: Connection, branch_id: str) -> MessageScope:
    """The scope of a branch's own messages; a fork without messages has no progression yet."""
    row = conn.one(_OF_BRANCH, {"id": branch_id})
    return MessageScope(-1, None, branch_id) if row is None else MessageScope(row[0], row[1], branch_id)


_ORD = "SELECT ord FROM progression_items WHERE message_id = :id AND prog = :prog LIMIT 1"


def ord_of(conn: Connection, scope: MessageScope, message_id: str) -> int:
    """The ord of a message."""
    ord_ = conn.value(_ORD, {"id": message_id, "prog": scope.prog})
    if ord_ is None:
        raise NotFound(f"message {message_id!r:.100} not found in that session", hint="it may have been pruned")
    return int(ord_)


class ContentSlice(NamedTuple):
    """Characters of a content value, their start, and the total length."""

    text: str
    start: int
    total: int


_PART = """
SELECT substr(e.value, :start + 1, :length), length(e.value) FROM messages m, json_each(m.content) e
 WHERE m.id = :id AND json_valid(m.content) AND e.key = :key
"""
_PART_OF_ALL = """
SELECT substr(whole, :start + 1, :length), length(whole) FROM (
  SELECT CASE WHEN json_valid(content) AND json_type(content) = 'text' THEN content ->> '$'
              ELSE CAST(content AS TEXT) END AS whole FROM messages WHERE id = :id) m
"""
_SIZE = "SELECT octet_length(content) FROM messages WHERE id = :id"


def content_size(conn: Connection, message_id: str) -> int:
    """Bytes of a content as it is stored; 0 without a message."""
    return conn.value(_SIZE, {"id": message_id}) or 0


def content_slice(conn: Connection, message_id: str, key: str, start: int, length: int) -> ContentSlice:
    """Characters of one value of a content, or of the stored content without a key."""
    sql = _PART if key else _PART_OF_ALL
    row = conn.one(sql, {"id": message_id, "key": key, "start": start, "length": length})
    if row is None:
        raise NotFound(f"the content has no key {key!r:.100}", hint="`cut` of the message lists its truncated keys")
    return ContentSlice("" if row[0] is None else str(row[0]), start, int(row[1] or 0))
