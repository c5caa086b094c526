"""Many messages for one branch at once, for what catches up: the rows that `append` writes, in fewer statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lionstudio.model.json_codec import dump
from lionstudio.model.messages import Message, System
from lionstudio.model.usage import NOTHING
from lionstudio.state.connection import Connection, Row
from lionstudio.state.messages.append import INSERT
from lionstudio.state.messages.append_cursor import Place, look_again, place_of, remember, take_places
from lionstudio.state.messages.counters import Growth, grow_session, note_on_branch


class Arrival(NamedTuple):
    """A message that is not here yet, and its columns."""

    message: Message
    row: Row


_KNOWN = "SELECT m.id FROM json_each(:ids) j JOIN messages m ON m.id = j.value"
_ANNOUNCE = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id, ord) VALUES (?, 'appended', 'message', ?, ?, ?)
"""


def known_among(conn: Connection, ids: Sequence[str]) -> set[str]:
    """Those of some ids that have a message."""
    return {row[0] for row in conn.all(_KNOWN, {"ids": dump(list(ids))})}


def append_many(conn: Connection, branch_id: str, arrivals: Sequence[Arrival]) -> None:
    """Append messages that are not here yet to a branch; a session that has ended takes them too."""
    if not arrivals:
        return
    place = conn.places.get(branch_id) or place_of(conn, branch_id)
    look_again(conn, place)
    conn.many(INSERT, (arrival.row for arrival in arrivals))
    session, first = place.session.id, place.session.next_ord
    announced = ((row[1], row[0], session, first + number) for number, (_, row) in enumerate(arrivals))
    conn.many(_ANNOUNCE, announced)
    _take_places(conn, place, arrivals)
    _count(conn, branch_id, place, arrivals)
    remember(conn, branch_id, place)


def _take_places(conn: Connection, place: Place, arrivals: Sequence[Arrival]) -> None:
    for end in (place.session, place):
        take_places(conn, end.prog, end.next_ord, (arrival.row[0] for arrival in arrivals))
        end.next_ord += len(arrivals)


def _count(conn: Connection, branch_id: str, place: Place, arrivals: Sequence[Arrival]) -> None:
    used = NOTHING
    for message, _ in arrivals:
        if "usage" in message.metadata:
            used = used.plus(message.usage)
    at = max(arrival.row[1] for arrival in arrivals)
    first, last = arrivals[0].row[0], arrivals[-1].row[0]
    grow_session(conn, place.session.id, Growth(len(arrivals), first, last, at, used))
    systems = [message.id for message, _ in arrivals if isinstance(message, System)]
    note_on_branch(conn, branch_id, used, systems[-1] if systems else None)
