"""The change feed of one thing: what happened to a session or a show since a seq, for a reader that comes back."""

from __future__ import annotations

from collections.abc import Iterable

from lionstudio.model.json_codec import dump
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change

_REACH = "SELECT coalesce((SELECT seq FROM changes ORDER BY seq LIMIT 1), 0), coalesce(max(seq), 0) FROM changes"


def can_follow(conn: Connection, after: int) -> bool:
    """Whether nothing that came after a seq was trimmed away, and the seq is one of this file."""
    oldest, newest = conn.one(_REACH) or (0, 0)
    return bool(oldest - 1 <= after <= newest)


_ALL = """
SELECT seq, at, kind, entity, entity_id, parent_id, ord FROM changes
 WHERE seq > :after AND seq <= :upto ORDER BY seq LIMIT :limit
"""
_SOME = """
SELECT seq, at, kind, entity, entity_id, parent_id, ord FROM changes
 WHERE seq > :after AND seq <= :upto
   AND (entity_id IN (SELECT value FROM json_each(:ids)) OR parent_id IN (SELECT value FROM json_each(:ids)))
 ORDER BY seq LIMIT :limit
"""


def changes_between(
    conn: Connection, after: int, upto: int, limit: int, ids: Iterable[str] | None = None
) -> list[Change]:
    """Changes in order; with ids, only those of these things and of what belongs to them."""
    params = {"after": after, "upto": upto, "limit": limit}
    if ids is None:
        return [Change(*row) for row in conn.all(_ALL, params)]
    return [Change(*row) for row in conn.all(_SOME, params | {"ids": dump(sorted(ids))})]


_OF_SHOW = "SELECT id, status FROM shows WHERE topic = :topic"
_SESSIONS = "SELECT session_id FROM plays WHERE show_id = :show AND session_id IS NOT NULL"


def entities_of_show(conn: Connection, topic: str) -> tuple[str, str, frozenset[str]] | None:
    """A show's id and status, and the ids whose changes concern it: itself and the sessions of its plays."""
    row = conn.one(_OF_SHOW, {"topic": topic})
    if row is None:
        return None
    sessions = (found[0] for found in conn.all(_SESSIONS, {"show": row[0]}))
    return row[0], row[1], frozenset({row[0], *sessions})
