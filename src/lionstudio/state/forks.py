"""Forks across sessions: the ancestors of a session's branches, and the branches forked from them."""

from __future__ import annotations

from typing import Any

from lionstudio.state.branches import lineage
from lionstudio.state.connection import Connection
from lionstudio.state.row_values import integer_in
from lionstudio.state.runs.page_queries import session_names

MOST_FORKS = 200

# forked_at_ord counts in the parent's branch; a page shows the parent's session, so session_ord is its position there.
_FORKED_AT = integer_in("c.node_metadata", "$.forked_at_ord")
_CHILDREN = f"""
SELECT c.id AS branch_id, c.name, c.session_id, s.status, c.created_at, c.parent_branch_id,
       CASE WHEN json_valid(c.node_metadata) THEN {_FORKED_AT} END AS forked_at_ord,
       (SELECT i.ord FROM progression_heads h
          JOIN progression_items j ON j.prog = h.pk
           AND j.ord = CASE WHEN json_valid(c.node_metadata) THEN {_FORKED_AT} END
          JOIN progression_items i ON i.message_id = j.message_id AND i.prog = :prog
         WHERE h.id = p.progression_id LIMIT 1) AS session_ord
  FROM branches p JOIN branches c ON c.parent_branch_id = p.id JOIN sessions s ON s.id = c.session_id
 WHERE p.session_id = :session ORDER BY c.created_at, c.id LIMIT :most
"""  # noqa: S608  (ours)
_OWN = "SELECT id FROM branches WHERE session_id = :session AND parent_branch_id IS NOT NULL ORDER BY created_at, id"
_SEGMENT = """
SELECT b.id AS branch_id, b.name, b.session_id,
       coalesce((SELECT max(ord) + 1 FROM progression_items i WHERE i.prog = h.pk), 0) AS message_count
  FROM branches b JOIN sessions s ON s.id = b.session_id LEFT JOIN progression_heads h ON h.id = b.progression_id
 WHERE b.id = :id
"""


def list_forks(conn: Connection, session_id: str, prog: int) -> list[dict[str, Any]]:
    """The branches forked from a session's branches, in any session."""
    return _named(conn, conn.dicts(_CHILDREN, {"session": session_id, "prog": prog, "most": MOST_FORKS}))


def inherited_segments(conn: Connection, session_id: str) -> dict[str, list[dict[str, Any]]]:
    """For each forked branch of a session, the branches it inherits messages from, oldest first."""
    inherited = {}
    for (branch_id,) in conn.all(_OWN, {"session": session_id})[:MOST_FORKS]:
        segments = [_segment(conn, ancestor, last) for ancestor, last in lineage(conn, branch_id)[:-1]]
        inherited[branch_id] = _named(conn, [segment for segment in segments if segment is not None])
    return inherited


def _named(conn: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = session_names(conn, [row["session_id"] for row in rows]) if rows else {}
    return [row | {"session_name": names.get(row["session_id"])} for row in rows]


def _segment(conn: Connection, branch_id: str, last: int) -> dict[str, Any] | None:
    row = conn.first_dict(_SEGMENT, {"id": branch_id})
    return None if row is None else row | {"last_ord": min(last, row["message_count"] - 1)}
