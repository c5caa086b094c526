"""Row ranges of the full-text index for a search within a time, a project, an agent, a status or a session.

A common word has many matches, most of them outside the scope. So the index is read only where matches in scope can
be: in zones that are new enough, or around the messages of the sessions in scope. Every match is still checked; the
ranges only leave out rows that cannot match.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any, NamedTuple

from lionstudio.state.connection import Connection

_ZONE = 1024  # messages; the least that a search reads
_GAP = 64  # messages of other sessions between two in scope: reading past them is cheaper than a new query
FEW, MANY = 20_000, 200_000  # messages that are listed at first, and when the newest had too few matches
_MOST_SESSIONS = 2_000  # whose messages are counted; a project with more counts as large

_CONDITIONS = {
    "project": "s.project = :project",
    "session": "s.id = :session",
    "agent": "s.agent_name = :agent",
    "status": "s.status = :status",
}


def session_condition(scope: Scope) -> str:
    """The SQL condition on a session `s`; its parameters are those of the scope."""
    return " AND ".join(_CONDITIONS[name] for name in scope.of_sessions) or "true"


class Scope(NamedTuple):
    """The filters of a search; None means any."""

    project: str | None = None
    session: str | None = None
    since: float | None = None
    agent: str | None = None
    status: str | None = None
    role: str | None = None
    tool: str | None = None
    file: str | None = None  # a path that the arguments of a tool call name

    @property
    def of_sessions(self) -> dict[str, str]:
        """The filters that leave some sessions out."""
        return {name: getattr(self, name) for name in _CONDITIONS if getattr(self, name) is not None}

    @property
    def of_messages(self) -> bool:
        """Whether a filter leaves some messages of a session out."""
        return (self.role, self.tool, self.file, self.since) != (None, None, None, None)


ANYWHERE = Scope()


def scope_of(session_id: str | None = None, **filters: Any) -> Scope:
    return Scope(session=session_id, **filters)


class RowRange(NamedTuple):
    """Part of the index: keys from `low` up to but not including `high`, and the keys in scope (None: all)."""

    low: int
    high: int
    members: Set[int] | None = None


_RECORD_ZONES = """
INSERT INTO search_zones (zone, newest)
SELECT pk / 1024, max(created_at) FROM messages WHERE pk > :after AND pk <= :upto GROUP BY pk / 1024
    ON CONFLICT (zone) DO UPDATE SET newest = max(newest, excluded.newest)
"""


def record_zone_times(conn: Connection, after: int, upto: int) -> None:
    """Record the newest time of each zone for messages that are being indexed."""
    conn.execute(_RECORD_ZONES, {"after": after, "upto": upto})


def row_ranges(conn: Connection, scope: Scope, most: int) -> list[RowRange] | None:
    """Ranges that can hold matches in scope, newest first; None when too many messages would have to be listed."""
    if scope.of_sessions:
        members = list_members(conn, scope, most)
        return None if members is None else list(_around(members))
    return [RowRange(0, 2**62)] if scope.since is None else _zones(conn, scope.since)


_ZONES = "SELECT zone FROM search_zones WHERE newest >= :since ORDER BY zone DESC"


def _zones(conn: Connection, since: float) -> list[RowRange]:
    ranges: list[RowRange] = []
    for (zone,) in conn.all(_ZONES, {"since": since}):
        low, high = zone * _ZONE, (zone + 1) * _ZONE
        if ranges and ranges[-1].low == high:
            high = ranges.pop().high
        ranges.append(RowRange(low, high))
    return ranges


# CROSS JOIN keeps the order: from the sessions to their messages
_MEMBERS = """
SELECT m.pk FROM sessions s
 CROSS JOIN progression_heads h ON h.id = s.progression_id
 CROSS JOIN progression_items i ON i.prog = h.pk
 CROSS JOIN messages m ON m.id = i.message_id
 WHERE {} LIMIT :most
"""
_SIZE = """
SELECT count(*), coalesce(sum(message_count), 0)
  FROM (SELECT s.message_count FROM sessions s WHERE {} LIMIT :most) some
"""


def list_members(conn: Connection, scope: Scope, most: int) -> Set[int] | None:
    """The messages of the sessions in scope; None when there are more than `most`."""
    if scope.session is None and most < MANY and _is_large(conn, scope, most):
        return None
    sql = _MEMBERS.format(session_condition(scope))
    rows = conn.all(sql, scope.of_sessions | {"most": most + 1})
    return None if len(rows) > most else {pk for (pk,) in rows}


def _is_large(conn: Connection, scope: Scope, most: int) -> bool:
    """Whether the scope has more messages than would be listed; counting its sessions is faster than listing."""
    sql = _SIZE.format(session_condition(scope))
    sessions, messages = conn.one(sql, scope.of_sessions | {"most": _MOST_SESSIONS}) or (0, 0)
    return bool(sessions == _MOST_SESSIONS or messages > most)


def _around(members: Set[int]) -> Iterator[RowRange]:
    rows: RowRange | None = None
    for pk in sorted(members, reverse=True):
        if rows is not None and rows.low - pk > _GAP:
            yield rows
            rows = None
        rows = RowRange(pk, pk + 1, members) if rows is None else rows._replace(low=pk)
    if rows is not None:
        yield rows
