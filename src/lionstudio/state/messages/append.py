"""Messages: append one to a branch, read them back in order. The hot path of the product.

One append is one transaction of the caller: message, its place in branch and session, the session's
counters and the change row. It costs the same at message 100,000 as at message 10.
"""

from __future__ import annotations

from typing import NamedTuple

import apsw

from lionstudio.crash import point
from lionstudio.errors import Conflict, IllegalTransition, InvalidInput, NotFound
from lionstudio.model.entity import UNKNOWN_TAG
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump, load_or_keep, visible
from lionstudio.model.messages import TYPE_IDS, Message, System, pack
from lionstudio.state.connection import Connection, Row, refers_to_nothing
from lionstudio.state.messages.append_cursor import AppendCursor, SessionCursor, cache, cursor_of, refresh
from lionstudio.state.messages.counters import add_usage, update_branch_usage


class Appended(NamedTuple):
    """What an append did."""

    message_id: str
    session_id: str
    new: bool  # False: it was there already, and nothing was written


# The four statements of every append take their values by position: building and binding dictionaries of
# them costs 5 % of an append (docs/performance.md). Everything else binds by name.
INSERT = """
INSERT INTO messages (id, created_at, node_metadata, content, embedding, sender, recipient, channel, role, lion_class)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
"""
_TAKE_PLACE = "INSERT INTO progression_items (prog, ord, message_id) VALUES (?, ?, ?), (?, ?, ?)"
# first_msg_id is set by a statement of its own: naming an indexed column here would be paid every time.
_COUNT = """
UPDATE sessions SET last_msg_id = ?, last_message_at = max(coalesce(last_message_at, 0), ?2),
  updated_at = max(updated_at, ?2), message_count = message_count + 1
 WHERE pk = ? AND id = ? AND (status = 'running' OR ?)
"""
_ANNOUNCE = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id, ord) VALUES (?, 'appended', 'message', ?, ?, ?)
"""


def append(conn: Connection, branch_id: str, message: Message, *, late: bool = False) -> Appended:
    """Add a message to the end of a branch; the same message again is one append.

    `late` lets an importer extend a session that has ended.
    """
    row = to_row(conn, message)
    place = conn.places.get(branch_id) or cursor_of(conn, branch_id)
    session, run, id_ = place.session, conn.run, row[0]
    run(INSERT, row)
    if not conn.changes():
        if _already_there(conn, row, place):
            return Appended(id_, session.id, new=False)
        if _is_in(conn, id_, session.prog):
            return _share(conn, branch_id, place, message, late)
    point("append.inserted")
    try:
        run(_TAKE_PLACE, (session.prog, session.next_ord, id_, place.prog, place.next_ord, id_))
    except apsw.ConstraintError as error:
        place = _place_again(conn, branch_id, place, error)
        session = place.session
        run(_TAKE_PLACE, (session.prog, session.next_ord, id_, place.prog, place.next_ord, id_))
    point("append.placed")
    run(_COUNT, (id_, row[1], session.pk, session.id, late))
    if not conn.changes():
        raise _refusal(conn, session.id)
    run(_ANNOUNCE, (row[1], id_, session.id, session.next_ord))
    if session.next_ord == 0 or row[9] == _SYSTEM or "usage" in message.metadata:
        _note_what_is_rare(conn, branch_id, session, message)
    session.next_ord += 1
    place.next_ord += 1
    if branch_id not in conn.places:
        cache(conn, branch_id, place)
    point("append.done")
    return Appended(id_, session.id, new=True)


def _refusal(conn: Connection, session_id: str) -> IllegalTransition | NotFound:
    conn.forget_places()
    status = conn.value("SELECT status FROM sessions WHERE id = :id", {"id": session_id})
    if status is None:
        return NotFound(f"there is no session {session_id} that takes messages")
    return IllegalTransition(
        f"session {session_id} is {status} and takes no more messages",
        hint="continue it with --resume, or branch off with --fork",
    )


def _place_again(conn: Connection, branch_id: str, place: AppendCursor, error: apsw.ConstraintError) -> AppendCursor:
    """Another process was here: it took the next ord, or pruned the branch and perhaps made it anew."""
    if refers_to_nothing(error):
        conn.forget_places()
        return cursor_of(conn, branch_id)
    refresh(conn, place)
    return place


_SYSTEM = TYPE_IDS[System.TAG]
_FIRST = "UPDATE sessions SET first_msg_id = :id WHERE pk = :pk AND first_msg_id IS NULL"


def _note_what_is_rare(conn: Connection, branch_id: str, session: SessionCursor, message: Message) -> None:
    """What only some messages change: the first of a session, a system prompt, one that reports usage."""
    if session.next_ord == 0:
        conn.execute(_FIRST, {"id": message.id, "pk": session.pk})
    add_usage(conn, session.id, message.usage)
    _note_on_branch(conn, branch_id, message)


def _note_on_branch(conn: Connection, branch_id: str, message: Message) -> None:
    update_branch_usage(conn, branch_id, message.usage, message.id if isinstance(message, System) else None)


_ETERNITY = 1e12  # seconds; 30,000 years

_SAME = "SELECT created_at, node_metadata, content, role, lion_class FROM messages WHERE id = :id"
_IN_PROGRESSION = "SELECT 1 FROM progression_items WHERE message_id = :id AND prog = :prog"


def _already_there(conn: Connection, row: Row, place: AppendCursor) -> bool:
    """True when this very message is in the branch; a message of another branch is shared, not copied."""
    id_, created_at, metadata, content, _, _, _, _, role, lion_class = row
    if conn.one(_SAME, {"id": id_}) != (created_at, metadata, content, role, lion_class):
        raise Conflict(f"message {id_} exists already with other content", hint="give the message an id of its own")
    return _is_in(conn, id_, place.prog)


def _is_in(conn: Connection, message_id: str, prog: int) -> bool:
    return conn.one(_IN_PROGRESSION, {"id": message_id, "prog": prog}) is not None


_SHARE = "INSERT INTO progression_items (prog, ord, message_id) VALUES (:prog, :ord, :id)"


def _share(conn: Connection, branch_id: str, place: AppendCursor, message: Message, late: bool) -> Appended:
    """A message that another branch of the session has already: one more place, counted once in the session."""
    session = place.session
    if not late and conn.value("SELECT status FROM sessions WHERE pk = :pk", {"pk": session.pk}) != "running":
        raise _refusal(conn, session.id)
    refresh(conn, place)
    conn.execute(_SHARE, {"prog": place.prog, "ord": place.next_ord, "id": message.id})
    conn.execute(_ANNOUNCE, (float(message.created_at), message.id, session.id, None))
    _note_on_branch(conn, branch_id, message)
    place.next_ord += 1
    cache(conn, branch_id, place)
    return Appended(message.id, session.id, new=True)


def to_row(conn: Connection, message: Message) -> Row:
    """The columns of a message in the order of INSERT, or a refusal; nothing is written yet."""
    metadata, content, embedding = message.metadata, message.content, message.embedding
    if "lion_class" in metadata:  # it has a column of its own
        metadata = {key: value for key, value in metadata.items() if key != "lion_class"}
    if isinstance(content, (int, float)) and not isinstance(content, bool):
        # a column declared JSON would turn the digits into a number and round them
        raise InvalidInput("content must be a JSON object, array or text, not a bare number")
    at = float(message.created_at)
    if not -_ETERNITY < at < _ETERNITY:  # also what is no number
        raise InvalidInput(f"created_at must be a time in unix seconds, not {message.created_at!r:.60}")
    sender, recipient, channel, role, tag = (
        message.sender,
        message.recipient,
        message.channel,
        message.role,
        message.tag,
    )
    return (
        check_id(message.id, "message id"),
        at,
        dump(metadata, "metadata") if metadata else None,
        None if content is None else dump(content),
        None if embedding is None else pack(embedding),
        sender and visible(sender),
        recipient and visible(recipient),
        channel and visible(channel),
        role and visible(role),
        TYPE_IDS.get(tag) or type_id(conn, tag),
    )


_TYPE_OF = "SELECT type_id FROM message_types WHERE lion_class = :tag"
_NEW_TYPE = """
INSERT INTO message_types (type_id, lion_class)
VALUES ((SELECT max(type_id) + 1 FROM message_types), :tag) RETURNING type_id
"""


def type_id(conn: Connection, tag: str) -> int:
    """The number of a class tag; an empty or unknown one is the sentinel 0, a new one gets the next number."""
    if tag in ("", UNKNOWN_TAG):
        return 0
    tag = visible(tag)
    known = conn.value(_TYPE_OF, {"tag": tag})
    return int(known if known is not None else conn.value(_NEW_TYPE, {"tag": tag}))


def from_row(row: Row) -> Message:
    """The message of a row; what another hand damaged is shown as it is, never a reason to fail."""
    id_, created_at, metadata, content, embedding, sender, recipient, channel, role, tag = row[:10]
    metadata = load_or_keep(metadata) if metadata is not None else {}
    if not isinstance(metadata, dict):
        metadata = {"unreadable": metadata}
    if tag and tag != UNKNOWN_TAG:
        metadata["lion_class"] = tag
    return Message.from_dict(
        {
            "id": id_,
            "created_at": created_at,
            "node_metadata": metadata,
            "content": load_or_keep(content),
            "embedding": embedding if _is_vector(embedding) else None,
            "sender": sender,
            "recipient": recipient,
            "channel": channel,
            "role": role,
        }
    )


def _is_vector(blob: object) -> bool:
    return isinstance(blob, bytes) and len(blob) % 4 == 0


_GET = """
SELECT m.id, m.created_at, m.node_metadata, m.content, m.embedding, m.sender, m.recipient, m.channel, m.role,
       t.lion_class
  FROM messages m LEFT JOIN message_types t ON t.type_id = m.lion_class WHERE m.id = :id
"""


def find_message(conn: Connection, message_id: str) -> Message | None:
    """One message by id."""
    row = conn.one(_GET, {"id": message_id})
    return None if row is None else from_row(row)


def get_message(conn: Connection, message_id: str) -> Message:
    """One message by id; NotFound otherwise."""
    found = find_message(conn, message_id)
    if found is None:
        raise NotFound(f"there is no message {message_id}")
    return found
