"""Values for shell completion: a few of the newest rows of a kind, in one statement each."""

from __future__ import annotations

from typing import Any

from lionstudio.model.run_name import NAME_COLUMNS
from lionstudio.state.connection import Connection

_MOST = 200
_SESSIONS = f"""
SELECT {", ".join(NAME_COLUMNS)}, status FROM sessions
 WHERE :start = '' OR id >= :start AND id < :end ORDER BY created_at DESC LIMIT :most
"""  # noqa: S608  (the names are ours)
_NAMED = f"""
SELECT {", ".join(NAME_COLUMNS)}, status FROM sessions
 WHERE name >= :start AND name < :end ORDER BY name LIMIT :most
"""  # noqa: S608
# the values of the newest sessions: all values of a large table would take too long
_PROJECTS = """
SELECT DISTINCT project, '' FROM (SELECT project FROM sessions ORDER BY created_at DESC LIMIT 2000) s
 WHERE project IS NOT NULL LIMIT :most
"""
_VALUES = {
    "project": _PROJECTS,
    "tag": "SELECT tag, count(*) || ' sessions' FROM session_tags GROUP BY tag LIMIT :most",
    "team": "SELECT name, status FROM teams ORDER BY updated_at DESC LIMIT :most",
    "machine": "SELECT name, id FROM machines ORDER BY name LIMIT :most",
    "topic": "SELECT topic, status FROM shows ORDER BY updated_at DESC LIMIT :most",
}
_PLAYS = """
SELECT p.name, p.status FROM plays p JOIN shows s ON s.id = p.show_id
 WHERE s.topic = :topic ORDER BY p.sort_order, p.name LIMIT :most
"""


def completed_sessions(conn: Connection, start: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The newest sessions whose id starts with a text, and those whose given name does."""
    values = {"start": start, "end": start + "\U0010ffff", "most": _MOST}
    return conn.dicts(_SESSIONS, values), conn.dicts(_NAMED, values) if start else []


def completed_values(conn: Connection, kind: str) -> list[tuple[Any, ...]]:
    """Values of a kind (project, tag, team, machine, topic), each with a description."""
    return conn.all(_VALUES[kind], {"most": _MOST})


def completed_plays(conn: Connection, topic: str) -> list[tuple[Any, ...]]:
    return conn.all(_PLAYS, {"topic": topic, "most": _MOST})
