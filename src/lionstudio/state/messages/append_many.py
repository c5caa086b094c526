"""Append many messages to one branch: the rows that `append` writes, in fewer statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lionstudio.model.json_codec import dump
from lionstudio.model.messages import Instruction, Message, System
from lionstudio.model.usage import NOTHING
from lionstudio.state.connection import Connection, Row
from lionstudio.state.messages.append import INSERT_CHANGE
from lionstudio.state.messages.append_cursor import AppendCursor, cache, cursor_of, refresh
from lionstudio.state.messages.counters import CounterUpdate, update_branch_usage, update_session_counters
from lionstudio.state.messages.rows import INSERT_MESSAGE
from lionstudio.state.runs.titles import LOOKED_AT, set_title
from lionstudio.state.usage.ledger import add_all_spent, spent_by


class PendingRow(NamedTuple):
    message: Message
    row: Row  # of `rows.to_row`, without secrets


_EXISTING = "SELECT m.id FROM json_each(:ids) j JOIN messages m ON m.id = j.value"


def existing_ids(conn: Connection, ids: Sequence[str]) -> set[str]:
    """The ids among these that have a message."""
    return {row[0] for row in conn.all(_EXISTING, {"ids": dump(list(ids))})}


def append_many(conn: Connection, branch_id: str, pending: Sequence[PendingRow]) -> None:
    """Append messages that the database does not have yet; a session that has ended accepts them too."""
    if not pending:
        return
    cursor = conn.cursors.get(branch_id) or cursor_of(conn, branch_id)
    refresh(conn, cursor)
    conn.run_many(INSERT_MESSAGE, [one.row for one in pending])
    session, first = cursor.session.id, cursor.session.next_ord
    changes = [(row[1], row[0], session, first + number) for number, (_, row) in enumerate(pending)]
    conn.run_many(INSERT_CHANGE, changes)
    _insert_positions(conn, cursor, pending)
    _count(conn, branch_id, cursor, pending, first)
    cache(conn, branch_id, cursor)


# one execution instead of one for each message; the ids are checked, and mean the same in JSON
_INSERT_POSITIONS = """
INSERT INTO progression_items (prog, ord, message_id) SELECT ?, ? + CAST(key AS INTEGER), value FROM json_each(?)
"""


def _insert_positions(conn: Connection, cursor: AppendCursor, pending: Sequence[PendingRow]) -> None:
    ids = dump([one.row[0] for one in pending])
    for end in (cursor.session, cursor):
        conn.run(_INSERT_POSITIONS, (end.prog, end.next_ord, ids))
        end.next_ord += len(pending)


def _count(
    conn: Connection, branch_id: str, cursor: AppendCursor, pending: Sequence[PendingRow], first_ord: int
) -> None:
    spent = [spent_by(message) for message, _ in pending if "usage" in message.metadata]
    used = NOTHING
    for one in spent:
        used = used.plus(one.usage)
    add_all_spent(conn, cursor.session.pk, spent)
    at = max(one.row[1] for one in pending)
    first, last = pending[0].row[0], pending[-1].row[0]
    update_session_counters(conn, cursor.session.id, CounterUpdate(len(pending), first, last, at, used))
    if first_ord < LOOKED_AT:
        for message, _ in pending[: LOOKED_AT - first_ord]:
            if isinstance(message, Instruction):
                set_title(conn, cursor.session.pk, message)
    systems = [message.id for message, _ in pending if isinstance(message, System)]
    update_branch_usage(conn, branch_id, used, systems[-1] if systems else None)
