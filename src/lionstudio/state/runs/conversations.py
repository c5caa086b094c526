"""Runs that belong together: those of one conversation, and those that continue, retry or fork another."""

from __future__ import annotations

from typing import Any

from lionstudio.state.connection import Connection

_RUNNING = """
SELECT id, owner FROM sessions WHERE conversation_id = :conversation AND status = 'running' ORDER BY created_at
"""


def running_in_conversation(conn: Connection, conversation: str) -> list[dict[str, Any]]:
    """The id and the owner of each running session of a conversation."""
    return conn.dicts(_RUNNING, {"conversation": conversation})


_RECORDED = """
SELECT id FROM sessions WHERE conversation_id = :conversation AND source_kind = 'live' ORDER BY created_at DESC LIMIT 1
"""


def find_recorded(conn: Connection, conversation: str) -> str | None:
    """The newest run of ours in a conversation."""
    session_id = conn.value(_RECORDED, {"conversation": conversation})
    return None if session_id is None else str(session_id)


MOST_SUCCESSORS = 100
_SUCCESSORS = """
SELECT id, 'continued' AS relation, status, created_at FROM sessions WHERE continues = :id
UNION ALL SELECT id, 'retried', status, created_at FROM sessions WHERE retries = :id
UNION ALL SELECT id, 'forked', status, created_at FROM sessions WHERE forked_from = :id
 ORDER BY created_at, id LIMIT :most
"""


def list_successors(conn: Connection, session_id: str) -> list[dict[str, Any]]:
    """The runs that continued, retried or forked a session, oldest first."""
    return conn.dicts(_SUCCESSORS, {"id": session_id, "most": MOST_SUCCESSORS})
