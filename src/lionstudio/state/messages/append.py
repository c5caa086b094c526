"""Append a message to a branch: the hot path of the product.

One append is one transaction of the caller: the message, its position in branch and session, the session's
counters and the change row. It costs the same at message 100,000 as at message 10.
"""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.crash import point
from lionstudio.errors import Conflict, IllegalTransition, NotFound
from lionstudio.model.messages import TYPE_IDS, Instruction, Message, System
from lionstudio.model.usage import NOTHING, Usage
from lionstudio.state.connection import Connection, ConstraintError, Row, is_foreign_key_error
from lionstudio.state.messages.append_cursor import AppendCursor, SessionCursor, cache, cursor_of, refresh
from lionstudio.state.messages.counters import add_usage, update_branch_usage
from lionstudio.state.messages.rows import INSERT_MESSAGE, to_row
from lionstudio.state.runs.titles import LOOKED_AT, set_title
from lionstudio.state.usage.ledger import add_spent, spent_by


class Appended(NamedTuple):
    message_id: str
    session_id: str
    new: bool  # False: the branch had it already, and nothing was written


# The four statements of every append (INSERT_MESSAGE and these) take their values by position: building and binding
# dictionaries of them costs 5 % of an append (docs/reference/performance.md). Everything else binds by name.
_INSERT_POSITIONS = "INSERT INTO progression_items (prog, ord, message_id) VALUES (?, ?, ?), (?, ?, ?)"
# first_msg_id is set by a statement of its own: naming an indexed column here would cost every append.
_UPDATE_SESSION = """
UPDATE sessions SET last_msg_id = ?, last_message_at = max(coalesce(last_message_at, 0), ?2),
  updated_at = max(updated_at, ?2), message_count = message_count + 1
 WHERE pk = ? AND id = ? AND (status = 'running' OR ?)
"""
INSERT_CHANGE = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id, ord) VALUES (?, 'appended', 'message', ?, ?, ?)
"""


def append(
    conn: Connection, branch_id: str, message: Message, *, late: bool = False, counted: bool = False
) -> Appended:
    """Add a message to the end of a branch; the same message again is one append.

    `late` lets an importer extend a session that has ended; the usage of a `counted` message belongs to another.
    """
    if conn.appender is not None:
        return conn.appender(conn, branch_id, message, late, counted)
    row = to_row(conn, message)
    cursor = conn.cursors.get(branch_id) or cursor_of(conn, branch_id)
    session, run, id_ = cursor.session, conn.run, row[0]
    run(INSERT_MESSAGE, row)
    if not conn.changes():
        if _is_in_branch(conn, row, cursor):
            return Appended(id_, session.id, new=False)
        if _is_in(conn, id_, session.prog):
            return _share(conn, branch_id, cursor, message, late)
    point("append.inserted")
    try:
        run(_INSERT_POSITIONS, (session.prog, session.next_ord, id_, cursor.prog, cursor.next_ord, id_))
    except ConstraintError as error:
        cursor = _refreshed_cursor(conn, branch_id, cursor, error)
        session = cursor.session
        run(_INSERT_POSITIONS, (session.prog, session.next_ord, id_, cursor.prog, cursor.next_ord, id_))
    point("append.placed")
    run(_UPDATE_SESSION, (id_, row[1], session.pk, session.id, late))
    if not conn.changes():
        raise _refusal(conn, session.id)
    run(INSERT_CHANGE, (row[1], id_, session.id, session.next_ord))
    if session.next_ord < LOOKED_AT and row[9] == _INSTRUCTION:
        set_title(conn, session.pk, message)
    if session.next_ord == 0 or row[9] == _SYSTEM or "usage" in message.metadata:
        update_rare_columns(conn, branch_id, session, message, NOTHING if counted else message.usage)
    session.next_ord += 1
    cursor.next_ord += 1
    if branch_id not in conn.cursors:
        cache(conn, branch_id, cursor)
    point("append.done")
    return Appended(id_, session.id, new=True)


def _refusal(conn: Connection, session_id: str) -> IllegalTransition | NotFound:
    conn.forget_cursors()
    status = conn.value("SELECT status FROM sessions WHERE id = :id", {"id": session_id})
    if status is None:
        return NotFound(f"session {session_id} not found", hint="li state ls")
    return IllegalTransition(
        f"session {session_id} is {status} and accepts no more messages",
        hint="continue it with --resume, or fork it with --fork",
    )


def _refreshed_cursor(conn: Connection, branch_id: str, cursor: AppendCursor, error: ConstraintError) -> AppendCursor:
    """Another process wrote meanwhile: it took the next ord, or pruned the branch and perhaps created it again."""
    if is_foreign_key_error(error):
        conn.forget_cursors()
        return cursor_of(conn, branch_id)
    refresh(conn, cursor)
    return cursor


_SYSTEM, _INSTRUCTION = TYPE_IDS[System.TAG], TYPE_IDS[Instruction.TAG]
_FIRST = "UPDATE sessions SET first_msg_id = :id WHERE pk = :pk AND first_msg_id IS NULL"


def update_rare_columns(
    conn: Connection, branch_id: str, session: SessionCursor, message: Message, usage: Usage
) -> None:
    """Columns that only some messages change: the first of a session, a system prompt, one that reports usage."""
    if session.next_ord == 0:
        conn.execute(_FIRST, {"id": message.id, "pk": session.pk})
    if usage != NOTHING:
        add_usage(conn, session.id, usage)
        add_spent(conn, session.pk, spent_by(message))
    update_branch_usage(conn, branch_id, usage, message.id if isinstance(message, System) else None)


_SAME = "SELECT created_at, node_metadata, content, role, lion_class FROM messages WHERE id = :id"
_IN_PROGRESSION = "SELECT 1 FROM progression_items WHERE message_id = :id AND prog = :prog"


def _is_in_branch(conn: Connection, row: Row, cursor: AppendCursor) -> bool:
    """Whether the branch has this message; raises Conflict when the stored message differs."""
    id_, created_at, metadata, content, _, _, _, _, role, lion_class = row
    if conn.one(_SAME, {"id": id_}) != (created_at, metadata, content, role, lion_class):
        raise Conflict(f"message {id_} exists already with other content", hint="give the message its own id")
    return _is_in(conn, id_, cursor.prog)


def _is_in(conn: Connection, message_id: str, prog: int) -> bool:
    return conn.one(_IN_PROGRESSION, {"id": message_id, "prog": prog}) is not None


_SHARE = "INSERT INTO progression_items (prog, ord, message_id) VALUES (:prog, :ord, :id)"


def _share(conn: Connection, branch_id: str, cursor: AppendCursor, message: Message, late: bool) -> Appended:
    """Give a message of another branch of the session a position here; the session counts it once."""
    session = cursor.session
    if not late and conn.value("SELECT status FROM sessions WHERE pk = :pk", {"pk": session.pk}) != "running":
        raise _refusal(conn, session.id)
    refresh(conn, cursor)
    conn.execute(_SHARE, {"prog": cursor.prog, "ord": cursor.next_ord, "id": message.id})
    conn.execute(INSERT_CHANGE, (float(message.created_at), message.id, session.id, None))
    update_branch_usage(conn, branch_id, message.usage, message.id if isinstance(message, System) else None)
    cursor.next_ord += 1
    cache(conn, branch_id, cursor)
    return Appended(message.id, session.id, new=True)
