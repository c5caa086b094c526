"""Replay the change feed of one session or show since a seq, for a reader that reconnects."""

from __future__ import annotations

from collections.abc import Iterable

from lionstudio.model.json_codec import dump
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change

_REACH = "SELECT coalesce((SELECT seq FROM changes ORDER BY seq LIMIT 1), 0), coalesce(max(seq), 0) FROM changes"


def can_follow(conn: Connection, after: int) -> bool:
    """Whether the feed still holds all changes after a seq of this file."""
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
    """Changes in order; with ids, only those of these entities and of their children."""
    params = {"after": after, "upto": upto, "limit": limit}
    if ids is None:
        return [Change(*row) for row in conn.all(_ALL, params)]
    return [Change(*row) for row in conn.all(_SOME, params | {"ids": dump(sorted(ids))})]


_OF_SHOW = "SELECT id, status FROM shows WHERE topic = :topic"
_SESSIONS = "SELECT session_id FROM plays WHERE show_id = :show AND session_id IS NOT NULL"


def entities_of_show(conn: Connection, topic: str) -> tuple[str, str, frozenset[str]] | None:
    """A show's id and status, and the ids whose changes concern it: its own and its plays' sessions."""
    row = conn.one(_OF_SHOW, {"topic": topic})
    if row is None:
        return None
    sessions = (session_id for (session_id,) in conn.all(_SESSIONS, {"show": row[0]}))
    return row[0], row[1], frozenset({row[0], *sessions})
