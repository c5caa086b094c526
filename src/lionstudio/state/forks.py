"""The tree that forks make across sessions: what a session's branches came from, and what came from them."""

from __future__ import annotations

from typing import Any

from lionstudio.state.branches import lineage
from lionstudio.state.connection import Connection

MOST_FORKS = 200

# The ord of a fork counts in its parent's branch; a page shows the parent's session, so its place there is told too.
_CHILDREN = """
SELECT c.id AS branch_id, c.name, c.session_id, s.name AS session_name, s.status, c.created_at, c.parent_branch_id,
       CASE WHEN json_valid(c.node_metadata) THEN c.node_metadata ->> '$.forked_at_ord' END AS forked_at_ord,
       (SELECT i.ord FROM progression_heads h
          JOIN progression_items j ON j.prog = h.pk
           AND j.ord = CASE WHEN json_valid(c.node_metadata) THEN c.node_metadata ->> '$.forked_at_ord' END
          JOIN progression_items i ON i.message_id = j.message_id AND i.prog = :prog
         WHERE h.id = p.progression_id LIMIT 1) AS session_ord
  FROM branches p JOIN branches c ON c.parent_branch_id = p.id JOIN sessions s ON s.id = c.session_id
 WHERE p.session_id = :session ORDER BY c.created_at, c.id LIMIT :most
"""
_OWN = "SELECT id FROM branches WHERE session_id = :session AND parent_branch_id IS NOT NULL ORDER BY created_at, id"
_SEGMENT = """
SELECT b.id AS branch_id, b.name, b.session_id, s.name AS session_name,
       coalesce((SELECT max(ord) + 1 FROM progression_items i WHERE i.prog = h.pk), 0) AS message_count
  FROM branches b JOIN sessions s ON s.id = b.session_id LEFT JOIN progression_heads h ON h.id = b.progression_id
 WHERE b.id = :id
"""


def forks_of(conn: Connection, session_id: str, prog: int) -> list[dict[str, Any]]:
    """The branches that were forked from a session's branches, in whichever session they are."""
    return conn.dicts(_CHILDREN, {"session": session_id, "prog": prog, "most": MOST_FORKS})


def inherited_by(conn: Connection, session_id: str) -> dict[str, list[dict[str, Any]]]:
    """For each forked branch of a session, whose messages it saw before its own: the oldest first."""
    found = {}
    for (branch_id,) in conn.all(_OWN, {"session": session_id})[:MOST_FORKS]:
        segments = [_segment(conn, ancestor, last) for ancestor, last in lineage(conn, branch_id)[:-1]]
        found[branch_id] = [each for each in segments if each is not None]
    return found


def _segment(conn: Connection, branch_id: str, last: int) -> dict[str, Any] | None:
    row = conn.first_dict(_SEGMENT, {"id": branch_id})
    return None if row is None else row | {"last_ord": min(last, row["message_count"] - 1)}
