"""The counts on the first page, each one query on one small index (ADR-0017, ADR-0019)."""

from __future__ import annotations

from lionstudio.model.states import DEFAULT_STALE_THRESHOLD, STALE_THRESHOLDS
from lionstudio.state.connection import Connection

DAY = 86400
SLOW_AFTER = 1800  # ADR-0017: running for more than 30 minutes

_BY_STATUS = "SELECT status, n FROM session_counts WHERE n > 0"
# Named, because SQLite would rather read every failed session by its status: 100 ms of a million.
_FAILED = """
SELECT count(*) FROM sessions INDEXED BY idx_sessions_failed WHERE status = 'failed' AND ended_at > :since
"""
_SLOW = "SELECT count(*) FROM sessions WHERE status = 'running' AND started_at < :before"
_STALE = """
SELECT count(*) FROM sessions
 WHERE status = 'running'
   AND coalesce(nullif(last_message_at, 0), updated_at) < :now - CASE invocation_kind
         WHEN 'agent' THEN :agent WHEN 'play' THEN :play WHEN 'flow' THEN :flow WHEN 'fanout' THEN :fanout
         WHEN 'show-play' THEN :show_play ELSE :other END
"""
_REVIEW = """
SELECT count(DISTINCT session_id) FROM plays
 WHERE status IN ('gated', 'escalated', 'blocked') AND session_id IS NOT NULL
"""
_TEAMS = "SELECT count(*) FROM teams WHERE status = 'active'"


def status_counts(conn: Connection) -> dict[str, int]:
    """How many sessions have each status, kept by triggers."""
    return dict(conn.all(_BY_STATUS))


def cards(conn: Connection, now: float) -> dict[str, int]:
    """Every card of the dashboard."""
    thresholds = {kind.replace("-", "_"): seconds for kind, seconds in STALE_THRESHOLDS.items()}
    return {
        "running": status_counts(conn).get("running", 0),
        "failed_24h": conn.value(_FAILED, {"since": now - DAY}),
        "slow": conn.value(_SLOW, {"before": now - SLOW_AFTER}),
        "stale": conn.value(_STALE, {"now": now, "other": DEFAULT_STALE_THRESHOLD, **thresholds}),
        "needs_review": conn.value(_REVIEW),
        "teams_active": conn.value(_TEAMS),
    }
