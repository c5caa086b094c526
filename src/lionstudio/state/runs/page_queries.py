"""Queries of pages: a session with its branches, play counts of shows, runs and plays that need a person.

Each takes a fixed number of statements, however many rows it finds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from lionstudio.errors import NotFound
from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.run_name import NAME_COLUMNS, run_name
from lionstudio.state.connection import Connection
from lionstudio.state.hub.run_machines import add_machines
from lionstudio.state.runs.run_list import LAST_WORDS, add_last_words
from lionstudio.state.runs.status_conditions import NEEDS_DECISION

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
        raise NotFound(f"session {session_id!r:.100} not found", hint="li state ls")
    shown = {name: value for name, value in row.items() if name not in _NOT_SHOWN}
    add_machines(conn, [shown])
    return shown | {"node_metadata": _object(row["node_metadata"])}


class SessionEnd(NamedTuple):
    """The columns that tell whether more messages may come."""

    status: str | None
    source_kind: str | None
    last_message_at: float | None


_SESSION_END = "SELECT status, source_kind, last_message_at FROM sessions WHERE id = :id"


def find_session_end(conn: Connection, session_id: str) -> SessionEnd | None:
    row = conn.one(_SESSION_END, {"id": session_id})
    return None if row is None else SessionEnd(*row)


def branch_rows(conn: Connection, session_id: str) -> list[dict[str, Any]]:
    """The branches of a session with their usage and the number of their own messages."""
    return [_branch(row) for row in conn.dicts(_BRANCHES, {"session": session_id})]


def _branch(row: dict[str, Any]) -> dict[str, Any]:
    metadata = _object(row.pop("node_metadata"))
    forked = metadata.get("forked_at_ord")
    return {**row, "metadata": metadata, "forked_at_ord": forked if isinstance(forked, int) else None}


_NAMES = f"SELECT {', '.join(NAME_COLUMNS)} FROM sessions WHERE id IN (SELECT value FROM json_each(:ids))"  # noqa: S608


def session_names(conn: Connection, ids: Iterable[str]) -> dict[str, str]:
    """The display names of sessions."""
    return {str(row["id"]): run_name(row) for row in conn.dicts(_NAMES, {"ids": dump(sorted(set(ids)))})}


_PLAY_COUNTS = """
SELECT show_id, status, count(*) FROM plays
 WHERE show_id IN (SELECT value FROM json_each(:ids)) GROUP BY show_id, status
"""
_RUNNING_PLAYS = """
SELECT show_id, name FROM plays
 WHERE status = 'running' AND show_id IN (SELECT value FROM json_each(:ids)) ORDER BY sort_order, name
"""
_DECISIONS = f"""
SELECT show_id, name, status, updated_at FROM plays
 WHERE status {NEEDS_DECISION} AND show_id IN (SELECT value FROM json_each(:ids)) ORDER BY sort_order, name
"""  # noqa: S608
# head is the commit with the work of the current attempt, as Play.collected_head
_REVIEW_COLUMNS = """p.id, s.topic, p.name, p.status, p.attempt, p.session_id, p.gate_feedback, p.updated_at,
       CASE WHEN json_valid(p.node_metadata)
             AND CAST(json_extract(p.node_metadata, '$.meta.collected') AS INTEGER) = p.attempt
         THEN json_extract(p.node_metadata, '$.meta.head') END AS head"""
# A play whose gate failed is not among them: the director starts the next attempt.
_PLAYS_TO_REVIEW = f"""
SELECT {_REVIEW_COLUMNS} FROM plays p
  JOIN shows s ON s.id = p.show_id
 WHERE p.status {NEEDS_DECISION} AND s.status = 'active'
 ORDER BY p.updated_at DESC LIMIT :limit
"""  # noqa: S608
_REFUSED_PLAYS = f"""
SELECT {_REVIEW_COLUMNS} FROM plays p
  JOIN shows s ON s.id = p.show_id
 WHERE p.status = 'gate_failed' AND s.status = 'active' ORDER BY p.updated_at DESC LIMIT :limit
"""  # noqa: S608
# the columns of a run in a list of attention items, with the last words of a failed one
_ATTENTION_COLUMNS = f"""id, name, title, agent_name, playbook_name, show_topic, show_play_name, status,
       invocation_kind, started_at, updated_at, last_message_at, owner, health, delivery, reason_codes, exit_code,
       ended_at, provider, model, cwd, source_kind, conversation_id, machine_id,{LAST_WORDS},
       CASE WHEN json_valid(node_metadata) THEN json_extract(node_metadata, '$.mirror.path') END AS transcript"""
_RUNNING = f"""
SELECT {_ATTENTION_COLUMNS}
  FROM sessions INDEXED BY idx_sessions_running WHERE status = 'running' ORDER BY started_at LIMIT :limit
"""  # noqa: S608
_FAILED = f"""
SELECT {_ATTENTION_COLUMNS}
  FROM sessions INDEXED BY idx_sessions_failed
 WHERE status = 'failed' AND ended_at > :since ORDER BY ended_at DESC LIMIT :limit
"""  # noqa: S608


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


def plays_to_decide(conn: Connection, show_ids: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """The plays that wait for a decision by show: name, status, updated_at."""
    plays: dict[str, list[dict[str, Any]]] = {}
    for row in conn.dicts(_DECISIONS, {"ids": dump(list(show_ids))}):
        plays.setdefault(row.pop("show_id"), []).append(row)
    return plays


def plays_to_review(conn: Connection, limit: int) -> list[dict[str, Any]]:
    return conn.dicts(_PLAYS_TO_REVIEW, {"limit": limit})


def refused_plays(conn: Connection, limit: int) -> list[dict[str, Any]]:
    """Plays of active shows that failed their gate and have no new attempt yet."""
    return conn.dicts(_REFUSED_PLAYS, {"limit": limit})


def running_rows(conn: Connection, limit: int) -> list[dict[str, Any]]:
    """Running sessions, oldest first."""
    return _attention_rows(conn, conn.dicts(_RUNNING, {"limit": limit}))


def failed_rows(conn: Connection, since: float, limit: int) -> list[dict[str, Any]]:
    """Sessions that failed since a time, newest first."""
    return _attention_rows(conn, conn.dicts(_FAILED, {"since": since, "limit": limit}))


_CONTINUED = "SELECT continues FROM sessions WHERE continues IN (SELECT value FROM json_each(:ids))"


def continued_sessions(conn: Connection, ids: Iterable[str]) -> set[str]:
    """Those of the sessions that another one continues."""
    return {str(earlier) for (earlier,) in conn.all(_CONTINUED, {"ids": dump(sorted(ids))})}


def _attention_rows(conn: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    add_machines(conn, rows)
    return [_attention_row(row) for row in rows]


def _attention_row(row: dict[str, Any]) -> dict[str, Any]:
    """The row with the facts of its metadata that attention items show."""
    path = row.pop("transcript")
    metadata = {"ended_with": row.pop("last_words")} | ({"mirror": {"path": path}} if path else {})
    return {**row, "metadata": metadata}


_RECENT = f"""
SELECT s.*, (SELECT count(*) FROM branches b WHERE b.session_id = s.id) AS branch_count,{LAST_WORDS}
  FROM sessions s ORDER BY s.updated_at DESC LIMIT :limit
"""  # noqa: S608


def recent_rows(conn: Connection, limit: int) -> list[dict[str, Any]]:
    """The most recently updated sessions."""
    rows = conn.dicts(_RECENT, {"limit": limit})
    for row in rows:
        add_last_words(row)
    add_machines(conn, rows)
    return [{name: value for name, value in row.items() if name not in _NOT_IN_LISTS} for row in rows]


_HOURS = """
SELECT CAST((created_at - :since) / 3600 AS INTEGER) AS hour, coalesce(status, 'unknown') AS status, count(*) AS runs
  FROM sessions WHERE created_at >= :since GROUP BY 1, 2 ORDER BY 1, 2
"""
_SOURCES = "SELECT coalesce(source_kind, 'unknown'), count(*) FROM sessions GROUP BY source_kind"
_MIRRORED = "SELECT tool, count(*) FROM mirror_files GROUP BY tool"
_COUNT_SHOWS = "SELECT count(*) FROM shows"
_COUNT_TEAMS = "SELECT count(*) FROM teams"


def runs_by_hour(conn: Connection, since: float) -> list[dict[str, Any]]:
    """Runs by hour and outcome."""
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
