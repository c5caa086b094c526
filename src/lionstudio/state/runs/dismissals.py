"""Attention items that a person dismissed or snoozed, until the state of their entity changes."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.state.connection import Connection

_KEPT_SECONDS = 90 * 86400  # longer than any item is listed without a change

_LIST = "SELECT id, state, until FROM attention_dismissals"
_DISMISS = """
INSERT INTO attention_dismissals (id, state, dismissed_at, until) VALUES (:id, :state, :at, :until)
ON CONFLICT (id) DO UPDATE SET state = :state, dismissed_at = :at, until = :until
"""
_RESTORE = "DELETE FROM attention_dismissals WHERE id = :id"
_FORGET = "DELETE FROM attention_dismissals WHERE dismissed_at < :before"


class HiddenState(NamedTuple):
    """The state in which an item was dismissed; `until` when it was snoozed."""

    state: str
    until: float | None = None


def list_dismissals(conn: Connection) -> dict[str, HiddenState]:
    """The dismissals, by the ids of their items."""
    return {item_id: HiddenState(state, until) for item_id, state, until in conn.all(_LIST)}


def dismiss(conn: Connection, item_id: str, state: str, at: float, *, until: float | None = None) -> None:
    """Hide an item until its state changes, or also until a time."""
    conn.execute(_FORGET, {"before": at - _KEPT_SECONDS})
    conn.execute(_DISMISS, {"id": item_id, "state": state, "at": at, "until": until})


def restore(conn: Connection, item_id: str) -> None:
    conn.execute(_RESTORE, {"id": item_id})
