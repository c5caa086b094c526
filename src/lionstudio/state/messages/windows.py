"""Windows of a session's messages by ord: any part of a run of 30,000 messages costs the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.messages import Message
from lionstudio.state.connection import Connection
from lionstudio.state.messages.rows import from_row, loaded_metadata


class Readable(NamedTuple):
    """The parts of a message that people read."""

    role: str | None
    created_at: float
    content: Any
    metadata: Mapping[str, Any]


class WindowMessage(NamedTuple):
    """A message and its ord in the session; None if the message was deleted."""

    ord: int
    message_id: str
    message: Message | None


_AFTER = """
SELECT m.id, m.created_at, m.node_metadata, m.content, m.embedding, m.sender, m.recipient, m.channel, m.role,
       t.lion_class, i.ord, i.message_id
  FROM sessions s
  JOIN progression_heads h ON h.id = s.progression_id
  JOIN progression_items i ON i.prog = h.pk
  LEFT JOIN messages m ON m.id = i.message_id
  LEFT JOIN message_types t ON t.type_id = m.lion_class
 WHERE s.id = :session AND i.ord > :after ORDER BY i.ord LIMIT :limit
"""
_BEFORE = """
SELECT m.id, m.created_at, m.node_metadata, m.content, m.embedding, m.sender, m.recipient, m.channel, m.role,
       t.lion_class, i.ord, i.message_id
  FROM sessions s
  JOIN progression_heads h ON h.id = s.progression_id
  JOIN progression_items i ON i.prog = h.pk
  LEFT JOIN messages m ON m.id = i.message_id
  LEFT JOIN message_types t ON t.type_id = m.lion_class
 WHERE s.id = :session AND i.ord < :before ORDER BY i.ord DESC LIMIT :limit
"""


_READ_AFTER = """
SELECT i.ord, i.message_id, m.role, m.created_at, m.content, m.node_metadata, m.id
  FROM sessions s
  JOIN progression_heads h ON h.id = s.progression_id
  JOIN progression_items i ON i.prog = h.pk
  LEFT JOIN messages m ON m.id = i.message_id
 WHERE s.id = :session AND i.ord > :after ORDER BY i.ord LIMIT :limit
"""


def readable_after(conn: Connection, session_id: str, after: int, limit: int) -> list[tuple[int, str, Readable | None]]:
    """Like `messages_after`, with what a person reads of each message only."""
    rows = conn.all(_READ_AFTER, {"session": session_id, "after": after, "limit": limit})
    return [
        (
            ord_,
            message_id,
            None if id_ is None else Readable(role, at, load_or_keep(content), loaded_metadata(metadata)),
        )
        for ord_, message_id, role, at, content, metadata, id_ in rows
    ]


def messages_after(conn: Connection, session_id: str, after: int = -1, limit: int = 100) -> list[WindowMessage]:
    """Up to `limit` messages after an ord, in order."""
    return _read(conn, _AFTER, {"session": session_id, "after": after, "limit": limit})


def messages_before(conn: Connection, session_id: str, before: int, limit: int = 100) -> list[WindowMessage]:
    """Up to `limit` messages directly before an ord, in order."""
    return _read(conn, _BEFORE, {"session": session_id, "before": before, "limit": limit})[::-1]


# CROSS JOIN keeps the order: starting at the branches, SQLite would search all ids for each of their messages.
_BRANCHES = """
SELECT i.message_id, b.id
  FROM json_each(:ids) wanted
 CROSS JOIN progression_items i ON i.message_id = wanted.value
 CROSS JOIN progression_heads h ON h.pk = i.prog
 CROSS JOIN branches b ON b.progression_id = h.id
 WHERE b.session_id = :session
"""


def branches_of(conn: Connection, session_id: str, message_ids: Iterable[str]) -> dict[str, str]:
    """The branch of each of these messages in a session."""
    return dict(conn.all(_BRANCHES, {"session": session_id, "ids": dump(list(message_ids))}))


def _read(conn: Connection, sql: str, params: dict[str, object]) -> list[WindowMessage]:
    return [
        WindowMessage(row[10], row[11], None if row[0] is None else from_row(row)) for row in conn.each(sql, params)
    ]
