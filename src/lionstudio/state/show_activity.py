"""The activity of shows: their runs, the status changes of their plays, and their questions."""

from __future__ import annotations

from typing import Any, NamedTuple

from lionstudio.state.connection import Connection

_MOST_RUNS, _MOST_CHANGES, _MOST_QUESTIONS = 2_000, 20_000, 2_000


class OpenWait(NamedTuple):
    """An open question of a show, or of a play of it."""

    topic: str
    play: str | None
    kind: str
    title: str


_OPEN_WAITS = """
SELECT show_topic, play_name, kind, title FROM questions
 WHERE is_open AND show_topic IS NOT NULL ORDER BY created_at LIMIT :limit
"""


def list_open_waits(conn: Connection) -> list[OpenWait]:
    """The open questions of all shows, oldest first."""
    return [OpenWait(*row) for row in conn.all(_OPEN_WAITS, {"limit": _MOST_QUESTIONS})]


class PlayRun(NamedTuple):
    """A run of a play's agent."""

    id: str
    play: str | None
    status: str | None
    started_at: float | None
    ended_at: float | None
    host: str | None


_RUNS = """
SELECT id, show_play_name, status, started_at, ended_at,
       CASE WHEN json_valid(owner) THEN json_extract(owner, '$.host') END
  FROM sessions WHERE show_topic = :topic ORDER BY created_at, id LIMIT :limit
"""


def list_play_runs(conn: Connection, topic: str) -> list[PlayRun]:
    """The runs of a show in the order of their start."""
    return [PlayRun(*row) for row in conn.all(_RUNS, {"topic": topic, "limit": _MOST_RUNS})]


_CHANGES = """
SELECT p.name, t.at, t.status FROM plays p
  JOIN status_transitions t ON t.entity = 'play' AND t.entity_id = p.id
 WHERE p.show_id = :show_id ORDER BY t.id LIMIT :limit
"""


def list_play_changes(conn: Connection, show_id: str) -> dict[str, list[tuple[float, str]]]:
    """The status changes of the plays of a show, as (time, new status), oldest first."""
    changes: dict[str, list[tuple[float, str]]] = {}
    for name, at, status in conn.all(_CHANGES, {"show_id": show_id, "limit": _MOST_CHANGES}):
        changes.setdefault(name, []).append((at, status))
    return changes


_QUESTIONS = """
SELECT id, play_name AS play, session_id, kind, title, attempt, created_at, answered_at, is_open, options, answer,
       answered_by, answered_from
  FROM questions WHERE show_topic = :topic ORDER BY created_at DESC LIMIT :limit
"""


def list_show_questions(conn: Connection, topic: str) -> list[dict[str, Any]]:
    """The questions of a show and of the agents of its plays in any status, newest first."""
    return conn.dicts(_QUESTIONS, {"topic": topic, "limit": _MOST_QUESTIONS})
