"""Messages of a session as rows that are on their way out: their JSON stays text and is never parsed here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lionstudio.model.jsontext import dump
from lionstudio.state.connection import Connection, Row


class Line(NamedTuple):
    """One place of a session; `there` is 0 where the id has no message any more."""

    ord: int
    message_id: str
    there: int
    created_at: float
    metadata: str | None
    metadata_is_json: int | None
    content: str | None
    content_is_json: int | None
    sender: str | None
    recipient: str | None
    channel: str | None
    role: str | None
    lion_class: str | None


_AFTER = """
SELECT i.ord, i.message_id, m.pk IS NOT NULL, m.created_at, m.node_metadata, json_valid(m.node_metadata), m.content,
       json_valid(m.content), m.sender, m.recipient, m.channel, m.role, t.lion_class
  FROM sessions s
  JOIN progression_heads h ON h.id = s.progression_id
  JOIN progression_items i ON i.prog = h.pk
  LEFT JOIN messages m ON m.id = i.message_id
  LEFT JOIN message_types t ON t.type_id = m.lion_class
 WHERE s.id = :session AND i.ord > :after ORDER BY i.ord LIMIT :limit
"""
_BEFORE = """
SELECT i.ord, i.message_id, m.pk IS NOT NULL, m.created_at, m.node_metadata, json_valid(m.node_metadata), m.content,
       json_valid(m.content), m.sender, m.recipient, m.channel, m.role, t.lion_class
  FROM sessions s
  JOIN progression_heads h ON h.id = s.progression_id
  JOIN progression_items i ON i.prog = h.pk
  LEFT JOIN messages m ON m.id = i.message_id
  LEFT JOIN message_types t ON t.type_id = m.lion_class
 WHERE s.id = :session AND i.ord < :before ORDER BY i.ord DESC LIMIT :limit
"""


def lines_after(conn: Connection, session_id: str, after: int, limit: int) -> list[Row]:
    """Up to `limit` lines that come after an ord, in order; tuples in the order of Line."""
    return conn.all(_AFTER, {"session": session_id, "after": after, "limit": limit})


def lines_before(conn: Connection, session_id: str, before: int, limit: int) -> list[Row]:
    """Up to `limit` lines that come right before an ord, in order."""
    return conn.all(_BEFORE, {"session": session_id, "before": before, "limit": limit})[::-1]


_HEAD = "SELECT status, message_count FROM sessions WHERE id = :id"


def head_of(conn: Connection, session_id: str) -> tuple[str | None, int] | None:
    """The status of a session and how many messages it counts, None when it is not there."""
    row = conn.one(_HEAD, {"id": session_id})
    return None if row is None else (row[0], row[1])


# CROSS JOIN keeps the order: begun at the branches, it would go through all ids for each of their messages.
_BRANCHES = """
SELECT i.message_id, b.id
  FROM json_each(:ids) wanted
 CROSS JOIN progression_items i ON i.message_id = wanted.value
 CROSS JOIN progression_heads h ON h.pk = i.prog
 CROSS JOIN branches b ON b.progression_id = h.id
 WHERE b.session_id = :session
"""


def branches_of(conn: Connection, session_id: str, message_ids: Iterable[str]) -> dict[str, str]:
    """The branch of a session that each of these messages was said on; as many steps as there are messages."""
    return dict(conn.all(_BRANCHES, {"session": session_id, "ids": dump(list(message_ids))}))
