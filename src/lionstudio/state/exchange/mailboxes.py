"""Exchange between sessions: inboxes, outboxes and channels, with a read position for every reader.

A mailbox is a progression like any other: its messages stay in order, and nothing deletes them.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from lionstudio.errors import Conflict, InvalidInput, NotFound
from lionstudio.model.coerce import list_of
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import load_or_keep, visible
from lionstudio.model.messages import Message
from lionstudio.model.status.reasons import INTERRUPTED_RUN
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
    # addresses are the keys of mailboxes: they are not redacted
    sender, to, channel = visible(message.sender), visible(message.recipient or ""), visible(message.channel or "")
    row = (*row[:5], sender, message.recipient and to, message.channel and channel, *row[8:])
    id_, at = row[:2]
    conn.run(INSERT_MESSAGE, row)
    # a branch may have the message before it is sent
    stored = not conn.changes()
    if stored and conn.one(_STORED, {"id": id_}) != (*row[1:4], *row[5:]):  # all but the embedding
        raise Conflict(f"message {id_} exists already with other content", hint="give the message its own id")
    incoming = _mailbox(conn, to or PUBLIC, "inbox", channel, at)
    if stored and conn.one(_DELIVERED, {"id": id_, "prog": incoming}):
        return False
    for prog in (incoming, _mailbox(conn, sender, "outbox", channel, at)):
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


class Receipt(NamedTuple):
    """A message in the inbox of a running agent, and the message of its session that it became; None while queued."""

    message: Message
    taken_ord: int | None


_RECEIPTS = """
SELECT m.id, m.created_at, m.node_metadata, m.content, m.embedding, m.sender, m.recipient, m.channel, m.role,
       t.lion_class, taken.ord
  FROM mailboxes b
  JOIN progression_heads h ON h.id = b.progression_id
  JOIN progression_items i ON i.prog = h.pk
  JOIN messages m ON m.id = i.message_id
  LEFT JOIN message_types t ON t.type_id = m.lion_class
  JOIN sessions s ON s.id = :session_id
  JOIN progression_heads sh ON sh.id = s.progression_id
  LEFT JOIN progression_items taken ON taken.message_id = m.id AND taken.prog = sh.pk
 WHERE b.owner = :owner AND b.box = 'inbox' AND b.channel = '' AND (:all OR taken.ord IS NULL)
 ORDER BY i.ord LIMIT :limit
"""


def list_receipts(conn: Connection, owner: str, session_id: str, limit: int = 1000) -> list[Receipt]:
    """The messages to a session, or to one of its branches, in order."""
    return _receipts(conn, {"owner": owner, "session_id": session_id, "all": True, "limit": limit})


def list_untaken(conn: Connection, owner: str, session_id: str, limit: int = 1000) -> list[Message]:
    """The messages that no agent of the session has taken."""
    values = {"owner": owner, "session_id": session_id, "all": False, "limit": limit}
    return [receipt.message for receipt in _receipts(conn, values)]


_EARLIER = "SELECT e.id, e.reason_codes FROM sessions s JOIN sessions e ON e.id = s.continues WHERE s.id = :id"


def list_left(conn: Connection, session_id: str) -> list[Message]:
    """The messages to runs that were interrupted, which no run has taken: this one continues them."""
    messages: list[Message] = []
    seen = {session_id}  # an imported database may have a cycle
    row = conn.one(_EARLIER, {"id": session_id})
    while row is not None and row[0] not in seen and INTERRUPTED_RUN & set(list_of(load_or_keep(row[1]))):
        left = list_untaken(conn, row[0], row[0])
        messages = [*(message for message in left if find_taken(conn, message.id) is None), *messages]
        seen.add(row[0])
        row = conn.one(_EARLIER, {"id": row[0]})
    return messages


_TAKEN = """
SELECT s.id, i.ord FROM progression_items i JOIN progression_heads h ON h.pk = i.prog
  JOIN sessions s ON s.progression_id = h.id
 WHERE i.message_id = :id LIMIT 1
"""


def find_taken(conn: Connection, message_id: str) -> tuple[str, int] | None:
    """The session that has taken a message, and its number there; None while it is queued."""
    row = conn.one(_TAKEN, {"id": message_id})
    return None if row is None else (row[0], row[1])


_OWNERS = """
SELECT owner FROM mailboxes WHERE box = 'inbox' AND channel = ''
   AND (owner = :session_id OR owner IN (SELECT id FROM branches WHERE session_id = :session_id))
 ORDER BY created_at
"""


def list_session_receipts(conn: Connection, session_id: str) -> list[Receipt]:
    """The messages to a session and to its branches."""
    owners = [row[0] for row in conn.all(_OWNERS, {"session_id": session_id})]
    return [receipt for owner in owners for receipt in list_receipts(conn, owner, session_id)]


def _receipts(conn: Connection, values: dict[str, object]) -> list[Receipt]:
    return [Receipt(from_row(row), row[10]) for row in conn.each(_RECEIPTS, values)]


def _messages(conn: Connection, params: dict[str, object]) -> list[MailboxMessage]:
    return [MailboxMessage(row[10], from_row(row)) for row in conn.each(_MESSAGES, params)]


_MARK = """
INSERT INTO read_positions (reader, progression_id, ord, updated_at)
SELECT :reader, progression_id, :ord, :at FROM mailboxes
 WHERE owner = :owner AND box = 'inbox' AND channel = :channel
ON CONFLICT (reader, progression_id) DO UPDATE SET ord = max(read_positions.ord, excluded.ord),
  updated_at = excluded.updated_at
RETURNING ord
"""


def mark_read(conn: Connection, reader: str, ord_: int, *, owner: str | None = None, channel: str = "") -> None:
    """Move a reader's position forward; it never moves back."""
    values = {"reader": reader, "ord": ord_, "at": time.time(), "owner": owner or reader, "channel": channel}
    if conn.one(_MARK, validate_row(values)) is None:
        raise NotFound(f"{owner or reader} has no inbox{f' on channel {channel}' if channel else ''} yet")
