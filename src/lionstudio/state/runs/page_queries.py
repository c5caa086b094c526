"""Queries of pages: a session with its branches, play counts of shows, runs and plays that need a person.

Each takes a fixed number of statements, however many rows it finds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lionstudio.errors import NotFound
from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.state.connection import Connection
from lionstudio.state.runs.status_conditions import NEEDS_REVIEW

_SESSION = "SELECT * FROM sessions WHERE id = :id"
_NOT_SHOWN = ("pk", "progression_id", "first_msg_id", "last_msg_id")
_NOT_IN_LISTS = (*_NOT_SHOWN, "node_metadata")
_BRANCHES = """
SELECT b.id, b.created_at, b.name, b.user, b.system_msg_id, b.parent_branch_id, b.node_metadata, b.input_tokens,
       b.output_tokens, b.cache_read_tokens, b.cache_write_tokens, b.cost_microusd,
       coalesce((SELECT max(i.ord) + 1 FROM progression_items i WHERE i.prog = h.pk), 0) AS message_count
  FROM branches b LEFT JOIN progression_heads h ON h.id = b.progression_id
 WHERE b.session_id = :session ORDER BY b.created_at, b.id
"""


def session_row(conn: Connection, session_id: str) -> dict[str, Any]:
    """The columns of a session, with parsed metadata."""
    row = conn.first_dict(_SESSION, {"id": session_id})
    if row is None:
        raise NotFound(f"session {session_id!r:.100} not found", hint="`li state ls` lists them")
    shown = {name: value for name, value in row.items() if name not in _NOT_SHOWN}
    return shown | {"node_metadata": _object(row["node_metadata"])}


def branch_rows(conn: Connection, session_id: str) -> list[dict[str, Any]]:
    """The branches of a session with their usage and the number of their own messages."""
    return [_branch(row) for row in conn.dicts(_BRANCHES, {"session": session_id})]


def _branch(row: dict[str, Any]) -> dict[str, Any]:
    metadata = _object(row.pop("node_metadata"))
    forked = metadata.get("forked_at_ord")
    return {**row, "metadata": metadata, "forked_at_ord": forked if isinstance(forked, int) else None}


_NAMES = "SELECT id, name FROM sessions WHERE id IN (SELECT value FROM json_each(:ids))"


def session_names(conn: Connection, ids: Iterable[str]) -> dict[str, str | None]:
    return dict(conn.all(_NAMES, {"ids": dump(sorted(set(ids)))}))


_PLAY_COUNTS = """
SELECT show_id, status, count(*) FROM plays
 WHERE show_id IN (SELECT value FROM json_each(:ids)) GROUP BY show_id, status
"""
_RUNNING_PLAYS = """
SELECT show_id, name FROM plays
 WHERE status = 'running' AND show_id IN (SELECT value FROM json_each(:ids)) ORDER BY sort_order, name
"""
# A play whose gate failed is not among them: the director starts the next attempt.
_PLAYS_TO_REVIEW = f"""
SELECT s.topic, p.name, p.status, p.session_id, p.gate_feedback, p.updated_at FROM plays p
  JOIN shows s ON s.id = p.show_id
 WHERE p.status {NEEDS_REVIEW} AND s.status = 'active'
 ORDER BY p.updated_at DESC LIMIT :limit
"""  # noqa: S608
_REFUSED_PLAYS = """
SELECT s.topic, p.name, p.status, p.session_id, p.gate_feedback, p.updated_at FROM plays p
  JOIN shows s ON s.id = p.show_id
 WHERE p.status = 'gate_failed' AND s.status = 'active' ORDER BY p.updated_at DESC LIMIT :limit
"""
_RUNNING = """
SELECT id, name, agent_name, playbook_name, show_topic, show_play_name, status, invocation_kind, started_at, updated_at,
       last_message_at, owner, health, delivery, reason_codes, exit_code, ended_at
  FROM sessions INDEXED BY idx_sessions_running WHERE status = 'running' ORDER BY started_at LIMIT :limit
"""
_FAILED = """
SELECT id, name, agent_name, playbook_name, show_topic, show_play_name, status, invocation_kind, started_at, updated_at,
       last_message_at, owner, health, delivery, reason_codes, exit_code, ended_at
  FROM sessions INDEXED BY idx_sessions_failed
 WHERE status = 'failed' AND ended_at > :since ORDER BY ended_at DESC LIMIT :limit
"""


def play_counts(conn: Connection, show_ids: Iterable[str]) -> dict[str, dict[str, int]]:
    """The number of plays by show and status."""
    counts: dict[str, dict[str, int]] = {}
    for show, status, n in conn.all(_PLAY_COUNTS, {"ids": dump(list(show_ids))}):
        counts.setdefault(show, {})[status] = n
    return counts


def running_plays(conn: Connection, show_ids: Iterable[str]) -> dict[str, list[str]]:
    """The names of running plays by show."""
    names: dict[str, list[str]] = {}
    for show, name in conn.all(_RUNNING_PLAYS, {"ids": dump(list(show_ids))}):
        names.setdefault(show, []).append(name)
    return names


def plays_to_review(conn: Connection, limit: int) -> list[dict[str, Any]]:
    return conn.dicts(_PLAYS_TO_REVIEW, {"limit": limit})


def refused_plays(conn: Connection, limit: int) -> list[dict[str, Any]]:
    """Plays of active shows that failed their gate and have no new attempt yet."""
    return conn.dicts(_REFUSED_PLAYS, {"limit": limit})


def running_rows(conn: Connection, limit: int) -> list[dict[str, Any]]:
    """Running sessions, oldest first."""
    return conn.dicts(_RUNNING, {"limit": limit})


def failed_rows(conn: Connection, since: float, limit: int) -> list[dict[str, Any]]:
    """Sessions that failed since a time, newest first."""
    return conn.dicts(_FAILED, {"since": since, "limit": limit})


_RECENT = """
SELECT s.*, (SELECT count(*) FROM branches b WHERE b.session_id = s.id) AS branch_count
  FROM sessions s ORDER BY s.updated_at DESC LIMIT :limit
"""


def recent_rows(conn: Connection, limit: int) -> list[dict[str, Any]]:
    """The most recently updated sessions."""
    rows = conn.dicts(_RECENT, {"limit": limit})
    return [{name: value for name, value in row.items() if name not in _NOT_IN_LISTS} for row in rows]


_HOURS = """
SELECT CAST((created_at - :since) / 3600 AS INTEGER) AS hour, coalesce(status, 'unknown') AS status, count(*) AS runs,
       sum(input_tokens + output_tokens) AS tokens, sum(cost_microusd) AS cost_microusd
  FROM sessions WHERE created_at >= :since GROUP BY 1, 2 ORDER BY 1, 2
"""
_SOURCES = "SELECT coalesce(source_kind, 'unknown'), count(*) FROM sessions GROUP BY source_kind"
_MIRRORED = "SELECT tool, count(*) FROM mirror_files GROUP BY tool"
_COUNT_SHOWS = "SELECT count(*) FROM shows"
_COUNT_TEAMS = "SELECT count(*) FROM teams"


def runs_by_hour(conn: Connection, since: float) -> list[dict[str, Any]]:
    """Runs, tokens and cost by hour and outcome."""
    return conn.dicts(_HOURS, {"since": since})


def sessions_by_source(conn: Connection) -> dict[str, int]:
    return dict(conn.all(_SOURCES))


def mirrored_files(conn: Connection) -> dict[str, int]:
    """The number of transcripts read by tool."""
    return dict(conn.all(_MIRRORED))


def shows_and_teams(conn: Connection) -> tuple[int, int]:
    return int(conn.value(_COUNT_SHOWS)), int(conn.value(_COUNT_TEAMS))


def _object(text: Any) -> dict[str, Any]:
    value = load_or_keep(text) or {}
    return value if isinstance(value, dict) else {"unreadable": value}
