"""Decisions that agents tried to make and that were refused, counted by agent and action.

An agent may try as often as it likes: it gets a bounded number of rows of a bounded size.
"""

from __future__ import annotations

import time
from hashlib import sha256
from typing import Any, NamedTuple

from lionstudio.state.connection import Connection
from lionstudio.state.row_values import validate_row

MOST_ACTIONS = 10  # of one agent; the others are counted together
MOST_ROWS = 500
_OTHER = "other actions"
_MOST_CHARS = 300


class Refusal(NamedTuple):
    """A decision that an agent tried to make."""

    agent: str
    action: str
    reason: str
    session_id: str | None = None


_COUNT = """
UPDATE refused_decisions SET count = count + 1, last_at = :at, reason = :reason WHERE id = :id RETURNING id
"""
_ACTIONS = "SELECT count(*) FROM refused_decisions WHERE agent = :agent AND session_id IS NOT DISTINCT FROM :session_id"
_ADD = """
INSERT INTO refused_decisions (id, created_at, last_at, session_id, agent, action, reason)
VALUES (:id, :at, :at, :session_id, :agent, :action, :reason)
"""
_FORGET = """
DELETE FROM refused_decisions
 WHERE id IN (SELECT id FROM refused_decisions ORDER BY last_at DESC LIMIT 1000000 OFFSET :most)
"""


def add_refusal(conn: Connection, refusal: Refusal) -> None:
    """Count a refused decision."""
    values = validate_row(
        {name: None if value is None else value[:_MOST_CHARS] for name, value in refusal._asdict().items()}
    )
    if _count(conn, values):
        return
    agent = {name: values[name] for name in ("agent", "session_id")}
    if conn.value(_ACTIONS, agent) >= MOST_ACTIONS:
        values["action"] = _OTHER
        if _count(conn, values):
            return
    conn.execute(_ADD, {**values, "id": _id_of(values), "at": time.time()})
    conn.execute(_FORGET, {"most": MOST_ROWS})


def _count(conn: Connection, values: dict[str, Any]) -> bool:
    row = conn.one(_COUNT, {"id": _id_of(values), "reason": values["reason"], "at": time.time()})
    return row is not None


def _id_of(values: dict[str, Any]) -> str:
    return sha256("\0".join(str(values[name]) for name in ("session_id", "agent", "action")).encode()).hexdigest()[:32]


_LIST = """
SELECT id, created_at, last_at, count, session_id, agent, action, reason FROM refused_decisions
 ORDER BY last_at DESC LIMIT :limit
"""


def list_refusals(conn: Connection, limit: int) -> list[dict[str, Any]]:
    """Refused decisions, the newest first."""
    return conn.dicts(_LIST, {"limit": limit})
