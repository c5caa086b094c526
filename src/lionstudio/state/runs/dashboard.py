"""The cards of the dashboard: each is one query on one small index (ADR-0017, ADR-0019)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.model.status.computed_state import DEFAULT_STALE_THRESHOLD, STALE_THRESHOLDS
from lionstudio.model.status.statuses import parse
from lionstudio.model.status.vocabulary import Card
from lionstudio.state.connection import Connection
from lionstudio.state.runs.status_conditions import NEEDS_REVIEW, SESSION_CARDS

DAY = 86400
SLOW_AFTER = 1800  # ADR-0017: running for more than 30 minutes

_BY_STATUS = "SELECT status, n FROM session_counts WHERE n > 0"
# The rows that each card counts; INDEXED BY, because SQLite would rather read every failed session by its status:
# 100 ms of a million.
_CARD_ROWS: Mapping[Card, str] = {
    Card.RUNNING: f"sessions INDEXED BY idx_sessions_running WHERE status {SESSION_CARDS[Card.RUNNING]}",
    Card.FAILED_24H: f"""sessions INDEXED BY idx_sessions_failed
 WHERE status {SESSION_CARDS[Card.FAILED_24H]} AND ended_at > :card_since""",
    Card.SLOW: f"""sessions INDEXED BY idx_sessions_running
 WHERE status {SESSION_CARDS[Card.SLOW]} AND started_at < :card_slow""",
    Card.STALE: f"""sessions INDEXED BY idx_sessions_running
 WHERE status {SESSION_CARDS[Card.STALE]}
   AND coalesce(nullif(last_message_at, 0), updated_at) < :card_now - CAST(CASE invocation_kind
         WHEN 'agent' THEN :agent WHEN 'play' THEN :play WHEN 'flow' THEN :flow WHEN 'fanout' THEN :fanout
         WHEN 'show-play' THEN :show_play ELSE :other END AS REAL)""",
    # ADR-0017: sessions of plays that need a person; the plays of a show that has ended do not
    Card.NEEDS_REVIEW: f"""plays WHERE status {NEEDS_REVIEW} AND session_id IS NOT NULL
   AND (SELECT s.status FROM shows s WHERE s.id = plays.show_id) = 'active'""",  # noqa: S608
}
_FAILED = f"SELECT count(*) FROM {_CARD_ROWS[Card.FAILED_24H]}"  # noqa: S608
_SLOW = f"SELECT count(*) FROM {_CARD_ROWS[Card.SLOW]}"  # noqa: S608
_STALE = f"SELECT count(*) FROM {_CARD_ROWS[Card.STALE]}"  # noqa: S608
_REVIEW = f"SELECT count(DISTINCT session_id) FROM {_CARD_ROWS[Card.NEEDS_REVIEW]}"  # noqa: S608
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


# The same rows as a condition on a list of sessions.
_CARD_CONDITIONS = {
    card: f"id IN (SELECT session_id FROM {rows})" if card is Card.NEEDS_REVIEW else f"pk IN (SELECT pk FROM {rows})"  # noqa: S608
    for card, rows in _CARD_ROWS.items()
}


def card_condition(card: str, now: float) -> tuple[str, dict[str, Any]]:
    """The condition of a card and the values it binds; the list has as many rows as the card counts."""
    condition = _CARD_CONDITIONS[parse(Card, card, "card")]
    return condition, {name: value for name, value in _params(now).items() if f":{name}" in condition}
