"""Many messages for one branch at once, for what catches up: the rows that `append` writes, in fewer statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lionstudio.model.json_codec import dump
from lionstudio.model.messages import Message, System
from lionstudio.model.usage import NOTHING
from lionstudio.state.connection import Connection, Row
from lionstudio.state.messages.append import INSERT
from lionstudio.state.messages.append_cursor import AppendCursor, cache, cursor_of, insert_positions, refresh
from lionstudio.state.messages.counters import CounterUpdate, update_branch_usage, update_session_counters


class PendingRow(NamedTuple):
    """A message that is not here yet, and its columns."""

    message: Message
    row: Row


_KNOWN = "SELECT m.id FROM json_each(:ids) j JOIN messages m ON m.id = j.value"
_ANNOUNCE = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id, ord) VALUES (?, 'appended', 'message', ?, ?, ?)
"""


def existing_ids(conn: Connection, ids: Sequence[str]) -> set[str]:
    """Those of some ids that have a message."""
    return {row[0] for row in conn.all(_KNOWN, {"ids": dump(list(ids))})}


def append_many(conn: Connection, branch_id: str, arrivals: Sequence[PendingRow]) -> None:
    """Append messages that are not here yet to a branch; a session that has ended takes them too."""
    if not arrivals:
        return
    place = conn.places.get(branch_id) or cursor_of(conn, branch_id)
    refresh(conn, place)
    conn.many(INSERT, (arrival.row for arrival in arrivals))
    session, first = place.session.id, place.session.next_ord
    announced = ((row[1], row[0], session, first + number) for number, (_, row) in enumerate(arrivals))
    conn.many(_ANNOUNCE, announced)
    _take_places(conn, place, arrivals)
    _count(conn, branch_id, place, arrivals)
    cache(conn, branch_id, place)


def _take_places(conn: Connection, place: AppendCursor, arrivals: Sequence[PendingRow]) -> None:
    for end in (place.session, place):
        insert_positions(conn, end.prog, end.next_ord, (arrival.row[0] for arrival in arrivals))
        end.next_ord += len(arrivals)


def _count(conn: Connection, branch_id: str, place: AppendCursor, arrivals: Sequence[PendingRow]) -> None:
    used = NOTHING
    for message, _ in arrivals:
        if "usage" in message.metadata:
            used = used.plus(message.usage)
    at = max(arrival.row[1] for arrival in arrivals)
    first, last = arrivals[0].row[0], arrivals[-1].row[0]
    update_session_counters(conn, place.session.id, CounterUpdate(len(arrivals), first, last, at, used))
    systems = [message.id for message, _ in arrivals if isinstance(message, System)]
    update_branch_usage(conn, branch_id, used, systems[-1] if systems else None)
