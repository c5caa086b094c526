"""The cards of the dashboard: each is one query on one small index (ADR-0017, ADR-0019)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.status.computed_state import DEFAULT_STALE_THRESHOLD, STALE_THRESHOLDS
from lionstudio.state.connection import Connection

DAY = 86400
SLOW_AFTER = 1800  # ADR-0017: running for more than 30 minutes

_BY_STATUS = "SELECT status, n FROM session_counts WHERE n > 0"
# INDEXED BY, because SQLite would read every failed session by its status: 100 ms at a million sessions.
_FAILED = """
SELECT count(*) FROM sessions INDEXED BY idx_sessions_failed WHERE status = 'failed' AND ended_at > :card_since
"""
_SLOW = "SELECT count(*) FROM sessions WHERE status = 'running' AND started_at < :card_slow"
_STALE = """
SELECT count(*) FROM sessions
 WHERE status = 'running'
   AND coalesce(nullif(last_message_at, 0), updated_at) < :card_now - CASE invocation_kind
         WHEN 'agent' THEN :agent WHEN 'play' THEN :play WHEN 'flow' THEN :flow WHEN 'fanout' THEN :fanout
         WHEN 'show-play' THEN :show_play ELSE :other END
"""
# ADR-0017: sessions of plays that wait at the gate, were escalated or are blocked (PLAYS_NEEDING_REVIEW).
_REVIEW = """
SELECT count(DISTINCT session_id) FROM plays
 WHERE status IN ('gated', 'escalated', 'blocked') AND session_id IS NOT NULL
"""
_TEAMS = "SELECT count(*) FROM teams WHERE status = 'active'"


def status_counts(conn: Connection) -> dict[str, int]:
    """The number of sessions by status, kept by triggers."""
    return dict(conn.all(_BY_STATUS))


def cards(conn: Connection, now: float) -> dict[str, int]:
    params = _params(now)
    return {
        "running": status_counts(conn).get("running", 0),
        "failed_24h": conn.value(_FAILED, {"card_since": params["card_since"]}),
        "slow": conn.value(_SLOW, {"card_slow": params["card_slow"]}),
        "stale": conn.value(_STALE, params),
        "needs_review": conn.value(_REVIEW),
        "teams_active": conn.value(_TEAMS),
    }


def _params(now: float) -> dict[str, Any]:
    thresholds = {kind.replace("-", "_"): seconds for kind, seconds in STALE_THRESHOLDS.items()}
    return {
        "card_since": now - DAY,
        "card_slow": now - SLOW_AFTER,
        "card_now": now,
        "other": DEFAULT_STALE_THRESHOLD,
        **thresholds,
    }


# The rows that each card counts, as a condition on a list of sessions that uses the card's own index.
CARDS: Mapping[str, str] = {
    "running": "pk IN (SELECT pk FROM sessions INDEXED BY idx_sessions_running WHERE status = 'running')",
    "failed_24h": """pk IN (SELECT pk FROM sessions INDEXED BY idx_sessions_failed
                             WHERE status = 'failed' AND ended_at > :card_since)""",
    "slow": """pk IN (SELECT pk FROM sessions INDEXED BY idx_sessions_running
                       WHERE status = 'running' AND started_at < :card_slow)""",
    "stale": """pk IN (SELECT pk FROM sessions INDEXED BY idx_sessions_running
                 WHERE status = 'running'
                   AND coalesce(nullif(last_message_at, 0), updated_at) < :card_now - CASE invocation_kind
                     WHEN 'agent' THEN :agent WHEN 'play' THEN :play WHEN 'flow' THEN :flow WHEN 'fanout' THEN :fanout
                     WHEN 'show-play' THEN :show_play ELSE :other END)""",
    "needs_review": """id IN (SELECT session_id FROM plays
                               WHERE status IN ('gated', 'escalated', 'blocked') AND session_id IS NOT NULL)""",
}


def card_condition(card: str, now: float) -> tuple[str, dict[str, Any]]:
    """The condition of a card and its parameters; it lists as many sessions as the card counts."""
    condition = CARDS.get(card)
    if condition is None:
        raise InvalidInput(f"unknown card {card!r:.40}", hint=f"use one of: {', '.join(CARDS)}")
    return condition, {name: value for name, value in _params(now).items() if f":{name}" in condition}
