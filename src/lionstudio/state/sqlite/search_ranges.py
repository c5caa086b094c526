"""Where a search looks that is narrowed to a time, a project or a session. SQLite only (FTS5).

Matches of a common word are many, and most of them are somewhere else. So the index is read only where wanted messages
can be: in zones of it that have something new enough, or around the messages of the sessions in question. Every match
is still checked; this only says where none can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

from lionstudio.state.connection import Connection

_ZONE = 1024  # messages; what a search looks through at least
_GAP = 64  # messages of others between two of a session: reading past them is cheaper than asking anew
FEW, MANY = 20_000, 200_000  # messages that are listed before looking, and when looking has not found enough
_MOST_SESSIONS = 2_000  # whose messages are counted; a project of more has many


class Scope(NamedTuple):
    """What a search is narrowed to; None means anything."""

    project: str | None = None
    session: str | None = None
    since: float | None = None


class RowRange(NamedTuple):
    """Part of the index: keys from `low` on and below `high`, and which of them count (None: all)."""

    low: int
    high: int
    members: Set[int] | None = None


_NOTE = """
INSERT INTO search_zones (zone, newest)
SELECT pk / 1024, max(created_at) FROM messages WHERE pk > :after AND pk <= :upto GROUP BY pk / 1024
    ON CONFLICT (zone) DO UPDATE SET newest = max(newest, excluded.newest)
"""


def note_times(conn: Connection, after: int, upto: int) -> None:
    """Keep how new the newest message of each zone is, for messages that are put into the index."""
    conn.execute(_NOTE, {"after": after, "upto": upto})


def row_ranges(conn: Connection, scope: Scope, most: int) -> list[RowRange] | None:
    """Where the index can hold what is wanted, the newest first; None when that takes listing too many messages."""
    if scope.session is not None or scope.project is not None:
        members = _members(conn, scope, most)
        return None if members is None else list(_around(members))
    return [RowRange(0, 2**62)] if scope.since is None else _zones(conn, scope.since)


_ZONES = "SELECT zone FROM search_zones WHERE newest >= :since ORDER BY zone DESC"


def _zones(conn: Connection, since: float) -> list[RowRange]:
    found: list[RowRange] = []
    for (zone,) in conn.all(_ZONES, {"since": since}):
        low, high = zone * _ZONE, (zone + 1) * _ZONE
        if found and found[-1].low == high:
            high = found.pop().high
        found.append(RowRange(low, high))
    return found


# CROSS JOIN keeps the order: from the sessions to their messages
_OF_SESSION = """
SELECT m.pk FROM sessions s
 CROSS JOIN progression_heads h ON h.id = s.progression_id
 CROSS JOIN progression_items i ON i.prog = h.pk
 CROSS JOIN messages m ON m.id = i.message_id
 WHERE s.id = :session LIMIT :most
"""
_OF_PROJECT = """
SELECT m.pk FROM sessions s
 CROSS JOIN progression_heads h ON h.id = s.progression_id
 CROSS JOIN progression_items i ON i.prog = h.pk
 CROSS JOIN messages m ON m.id = i.message_id
 WHERE s.project = :project LIMIT :most
"""


_SIZE = """
SELECT count(*), coalesce(sum(message_count), 0)
  FROM (SELECT message_count FROM sessions WHERE project = :project LIMIT :most)
"""


def _is_large(conn: Connection, project: str, most: int) -> bool:
    """Whether listing its messages would be given up: counting its sessions tells it sooner."""
    sessions, messages = conn.one(_SIZE, {"project": project, "most": _MOST_SESSIONS}) or (0, 0)
    return most < MANY and (sessions == _MOST_SESSIONS or messages > most)


def _members(conn: Connection, scope: Scope, most: int) -> Set[int] | None:
    if scope.session is None and scope.project is not None and _is_large(conn, scope.project, most):
        return None
    if scope.session is not None:
        rows = conn.all(_OF_SESSION, {"session": scope.session, "most": most + 1})
    else:
        rows = conn.all(_OF_PROJECT, {"project": scope.project, "most": most + 1})
    return None if len(rows) > most else {pk for (pk,) in rows}


def _around(members: Set[int]) -> Iterator[RowRange]:
    stretch: RowRange | None = None
    for pk in sorted(members, reverse=True):
        if stretch is not None and stretch.low - pk > _GAP:
            yield stretch
            stretch = None
        stretch = RowRange(pk, pk + 1, members) if stretch is None else stretch._replace(low=pk)
    if stretch is not None:
        yield stretch
