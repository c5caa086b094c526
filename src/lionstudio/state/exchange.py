"""Exchange between sessions: inboxes, outboxes and channels, with a read position for every reader.

A mailbox is a progression like any other: its messages stay in order, and nothing deletes them.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from lionstudio.errors import Conflict, InvalidInput, NotFound
from lionstudio.model.ids import check_id
from lionstudio.model.messages import Message
from lionstudio.state.connection import Connection
from lionstudio.state.messages.append_cursor import new_progression
from lionstudio.state.messages.rows import INSERT_MESSAGE, from_row, to_row
from lionstudio.state.row_values import validate_row

PUBLIC = "*"  # the owner of a public channel


class MailboxMessage(NamedTuple):
    """A message and its ord, which a reader marks as read."""

    ord: int
    message: Message


_INSERT_POSITION = """
INSERT INTO progression_items (prog, ord, message_id)
VALUES (:prog, (SELECT coalesce(max(ord) + 1, 0) FROM progression_items WHERE prog = :prog), :id)
"""
_INSERT_CHANGE = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id) VALUES (:at, 'sent', 'message', :id, :recipient)
"""


_STORED = """
SELECT created_at, node_metadata, content, sender, recipient, channel, role, lion_class FROM messages WHERE id = :id
"""
_DELIVERED = "SELECT 1 FROM progression_items WHERE message_id = :id AND prog = :prog"


def send(conn: Connection, message: Message) -> bool:
    """Deliver to the recipient's inbox (or a channel) and the sender's outbox; False when it was sent before."""
    if not message.sender or not (message.recipient or message.channel):
        raise InvalidInput("a message needs a sender, and a recipient or a channel")
    row = to_row(conn, message)
    (id_, at), (sender, to, channel) = row[:2], row[5:8]
    conn.execute(INSERT_MESSAGE, row)
    # a branch may have the message before it is sent
    stored = not conn.changes()
    if stored and conn.one(_STORED, {"id": id_}) != (*row[1:4], *row[5:]):  # all but the embedding
        raise Conflict(f"message {id_} exists already with other content", hint="give the message its own id")
    incoming = _mailbox(conn, to or PUBLIC, "inbox", channel or "", at)
    if stored and conn.one(_DELIVERED, {"id": id_, "prog": incoming}):
        return False
    for prog in (incoming, _mailbox(conn, sender, "outbox", channel or "", at)):
        conn.execute(_INSERT_POSITION, {"prog": prog, "id": id_})
    conn.execute(_INSERT_CHANGE, {"at": at, "id": id_, "recipient": to or PUBLIC})
    return True


_FIND = """
SELECT h.pk FROM mailboxes m JOIN progression_heads h ON h.id = m.progression_id
 WHERE m.owner = :owner AND m.box = :box AND m.channel = :channel
"""
_OPEN = """
INSERT INTO mailboxes (owner, box, channel, progression_id, created_at)
VALUES (:owner, :box, :channel, :progression, :at)
"""


def _mailbox(conn: Connection, owner: str, box: str, channel: str, at: float) -> int:
    key = {"owner": check_id(owner, "mailbox owner"), "box": box, "channel": channel}
    prog = conn.value(_FIND, key)
    if prog is None:
        progression, prog = new_progression(conn, at)
        conn.execute(_OPEN, key | {"progression": progression, "at": at})
    return int(prog)


_MESSAGES = """
SELECT m.id, m.created_at, m.node_metadata, m.content, m.embedding, m.sender, m.recipient, m.channel, m.role,
       t.lion_class, i.ord
  FROM mailboxes b
  JOIN progression_heads h ON h.id = b.progression_id
  JOIN progression_items i ON i.prog = h.pk
  JOIN messages m ON m.id = i.message_id
  LEFT JOIN message_types t ON t.type_id = m.lion_class
 WHERE b.owner = :owner AND b.box = :box AND b.channel = :channel AND i.ord > :after
 ORDER BY i.ord LIMIT :limit
"""
_POSITION = """
SELECT r.ord FROM mailboxes b JOIN read_positions r ON r.progression_id = b.progression_id
 WHERE b.owner = :owner AND b.box = 'inbox' AND b.channel = :channel AND r.reader = :reader
"""


def unread(
    conn: Connection, reader: str, *, owner: str | None = None, channel: str = "", limit: int = 100
) -> list[MailboxMessage]:
    """Unread messages of a reader, in its own inbox or in another's (a public channel: owner '*')."""
    key = {"owner": owner or reader, "channel": channel}
    after = conn.value(_POSITION, key | {"reader": reader})
    return _messages(conn, key | {"box": "inbox", "after": -1 if after is None else after, "limit": limit})


def inbox(
    conn: Connection, owner: str, *, channel: str = "", after: int = -1, limit: int = 100
) -> list[MailboxMessage]:
    return _messages(conn, {"owner": owner, "box": "inbox", "channel": channel, "after": after, "limit": limit})


def outbox(
    conn: Connection, owner: str, *, channel: str = "", after: int = -1, limit: int = 100
) -> list[MailboxMessage]:
    return _messages(conn, {"owner": owner, "box": "outbox", "channel": channel, "after": after, "limit": limit})


def _messages(conn: Connection, params: dict[str, object]) -> list[MailboxMessage]:
    return [MailboxMessage(row[10], from_row(row)) for row in conn.each(_MESSAGES, params)]


_MARK = """
INSERT INTO read_positions (reader, progression_id, ord, updated_at)
SELECT :reader, progression_id, :ord, :at FROM mailboxes
 WHERE owner = :owner AND box = 'inbox' AND channel = :channel
ON CONFLICT (reader, progression_id) DO UPDATE SET ord = max(ord, excluded.ord), updated_at = excluded.updated_at
RETURNING ord
"""


def mark_read(conn: Connection, reader: str, ord_: int, *, owner: str | None = None, channel: str = "") -> None:
    """Move a reader's position forward; it never moves back."""
    values = {"reader": reader, "ord": ord_, "at": time.time(), "owner": owner or reader, "channel": channel}
    if conn.one(_MARK, validate_row(values)) is None:
        raise NotFound(f"{owner or reader} has no inbox{f' on channel {channel}' if channel else ''} yet")
