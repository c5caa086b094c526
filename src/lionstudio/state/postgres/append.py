"""Append a message in one call of a function of the database, in place of the statements of `messages.append`."""

from __future__ import annotations

from lionstudio.model.messages import TYPE_IDS, Instruction, Message, System
from lionstudio.model.usage import NOTHING
from lionstudio.state.connection import Connection
from lionstudio.state.messages.append import Appended, append, update_rare_columns
from lionstudio.state.messages.append_cursor import SessionCursor
from lionstudio.state.messages.rows import to_row
from lionstudio.state.postgres.connection import CALL, KnownSession, PostgresConnection
from lionstudio.state.runs.titles import LOOKED_AT, set_title

_SYSTEM, _INSTRUCTION = TYPE_IDS[System.TAG], TYPE_IDS[Instruction.TAG]
_MOST_KNOWN = 10_000
_LONG = 100_000  # characters: many such texts together would be more than a server takes at once


def append_by_call(conn: Connection, branch_id: str, message: Message, late: bool, counted: bool) -> Appended:
    assert isinstance(conn, PostgresConnection)
    row = to_row(conn, message)
    has_usage = "usage" in message.metadata
    usage = message.usage if has_usage and not counted else NOTHING
    is_rare = has_usage or row[9] == _SYSTEM
    known = conn.sessions_of.get(branch_id)
    if (
        known is not None
        and conn.may_queue
        and (row[9] != _INSTRUCTION or known.ord + 1 >= LOOKED_AT)
        and len(row[2] or "") + len(row[3] or "") < _LONG
    ):
        # sent with the commit, without its outcome: an error repeats the transaction where the append is special
        if is_rare:
            with conn.queued():
                update_rare_columns(conn, branch_id, _after(known), message, usage)
        conn.add_append((branch_id, late, known.id, *row))
        return Appended(row[0], known.id, new=True)
    outcome, session_id, session_pk, ord_, transaction_id = conn.call(CALL, (branch_id, late, None, *row))
    conn.forget_cursors()
    if outcome != "appended":
        # the message or the session is special: the statements say what to do, one by one
        conn.take_lock()
        conn.appender = None
        try:
            return append(conn, branch_id, message, late=late, counted=counted)
        finally:
            conn.appender = append_by_call
            conn.forget_cursors()
    conn.transaction_id = transaction_id
    conn.sent = conn.sent or [(branch_id, late, session_id, *row)]
    if len(conn.sessions_of) >= _MOST_KNOWN:
        conn.sessions_of.clear()
    conn.sessions_of[branch_id] = KnownSession(session_id, session_pk, ord_)
    if ord_ < LOOKED_AT and row[9] == _INSTRUCTION:
        set_title(conn, session_pk, message)
    if ord_ == 0 or is_rare:
        session = SessionCursor(session_id, session_pk, 0, ord_)
        update_rare_columns(conn, branch_id, session, message, usage)
    return Appended(row[0], session_id, new=True)


def _after(known: KnownSession) -> SessionCursor:
    return SessionCursor(known.id, known.pk, 0, known.ord + 1)
