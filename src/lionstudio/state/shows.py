"""Rows of shows and plays, beside the show folders (ADR-0011)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeVar

from lionstudio.errors import IllegalTransition, NotFound
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import (
    PLAY_TRANSITIONS,
    PLAYS,
    SHOW_TRANSITIONS,
    SHOWS,
    PlayStatus,
    ShowStatus,
    can_reach,
    check_transition,
    parse,
)
from lionstudio.model.status.transitions import ChangedBy, Source
from lionstudio.state.connection import Connection
from lionstudio.state.row_values import validate_row
from lionstudio.state.transitions import record_transition

# Where a new status comes from. "step": one step of our own, by the table of transitions. "import": another database,
# any number of steps of the table ahead (ADR 0020). "file": the show folder, which is the truth.
StatusOrigin = Literal["step", "import", "file"]
_SOURCES: Mapping[StatusOrigin, Source] = {"step": "director", "import": "import", "file": "files"}

_PUT_SHOW = """
INSERT INTO shows (id, topic, goal, repo, base_branch, integration_branch, status, status_source, show_dir,
                   created_at, updated_at, node_metadata)
VALUES (:id, :topic, :goal, :repo, :base_branch, :integration_branch, :status, :status_source, :show_dir,
        :created_at, :updated_at, :node_metadata)
ON CONFLICT (topic) DO UPDATE SET
  goal = excluded.goal, repo = excluded.repo, base_branch = excluded.base_branch,
  integration_branch = excluded.integration_branch,
  status_source = excluded.status_source, show_dir = excluded.show_dir, updated_at = excluded.updated_at,
  node_metadata = excluded.node_metadata
RETURNING id
"""
_HAS_SHOW = "SELECT 1 FROM shows WHERE topic = :topic"
_SHOW = "SELECT * FROM shows WHERE topic = :topic"
_SHOWS = "SELECT * FROM shows ORDER BY updated_at DESC, id DESC LIMIT :limit"


def put_show(conn: Connection, show: Show, *, by: ChangedBy | Source = "director") -> Show:
    """Insert a show, or update the row of its topic, but for its id and status."""
    _write_show(conn, show, by)
    return get_show(conn, show.topic)


def _write_show(conn: Connection, show: Show, by: ChangedBy | Source) -> None:
    now = show.updated_at if show.updated_at is not None else show.created_at
    row = show.to_dict("db") | {
        "id": check_id(show.id, "show id"),
        "topic": check_id(show.topic, "topic"),
        "status": parse(ShowStatus, show.status, "show status"),
        "updated_at": now,
        "node_metadata": _dumped(dict(show.metadata)),
    }
    values = validate_row(row)
    if conn.one(_HAS_SHOW, {"topic": show.topic}) is None:
        record_transition(conn, "show", show.id, None, show.status, by=by)
    conn.execute(_PUT_SHOW, values)


def find_show(conn: Connection, topic: str) -> Show | None:
    row = conn.first_dict(_SHOW, {"topic": topic})
    return None if row is None else Show.from_dict(_parsed(row))


_SHOW_ID = "SELECT id FROM shows WHERE topic = :topic"


def find_show_id(conn: Connection, topic: str) -> str | None:
    """Find the id of a show without its plan and its other facts, which grow with it."""
    row = conn.one(_SHOW_ID, {"topic": topic})
    return None if row is None else str(row[0])


def get_show(conn: Connection, topic: str) -> Show:
    show = find_show(conn, topic)
    if show is None:
        raise NotFound(f"show {topic} does not exist", hint="li show ls")
    return show


def list_shows(conn: Connection, limit: int = 100) -> list[Show]:
    """List shows, the last updated first."""
    return [Show.from_dict(_parsed(row)) for row in conn.dicts(_SHOWS, {"limit": limit})]


def sync_show(
    conn: Connection, show: Show, current: Show | None, *, via: StatusOrigin, by: ChangedBy | None = None
) -> Show:
    """Insert a show, or update its current row with its status."""
    _write_show(conn, show, by or _SOURCES[via])
    if current is None:
        stored = get_show(conn, show.topic)
    else:
        stored = replace(show, id=current.id, created_at=current.created_at, status=current.status)
    return stored if stored.status is show.status else _move_show(conn, stored, show.status, show.updated_at, via, by)


def transition_show(
    conn: Connection,
    topic: str,
    status: ShowStatus | str,
    *,
    at: float | None = None,
    by: ChangedBy | None = None,
    reason: str | None = None,
) -> None:
    """Change the status of a show by one step of the table of transitions; the default reason is that of the status."""
    _move_show(conn, get_show(conn, topic), parse(ShowStatus, status, "show status"), at, "step", by, reason)


_MOVE_SHOW = """
UPDATE shows SET status = :new, updated_at = :at, node_metadata = coalesce(:metadata, node_metadata)
 WHERE topic = :topic AND status = :old RETURNING id
"""


def _move_show(
    conn: Connection,
    show: Show,
    status: ShowStatus,
    at: float | None,
    via: StatusOrigin,
    by: ChangedBy | None,
    reason: str | None = None,
) -> Show:
    at = time.time() if at is None else at
    jump = _check_origin(SHOW_TRANSITIONS, show.status, status, f"show {show.topic}", at, via)
    metadata = {**show.metadata, **jump}
    values = {
        "topic": show.topic,
        "old": show.status,
        "new": status,
        "at": at,
        "metadata": _dumped(metadata) if jump else None,
    }
    reasons = [code for code in (reason or SHOWS[status].reason,) if code]
    record_transition(conn, "show", show.id, show.status, status, by=by or _SOURCES[via], reasons=reasons, at=at)
    if conn.one(_MOVE_SHOW, values) is None:
        raise IllegalTransition(f"another process changed the status of show {show.topic}", hint=_RETRY)
    return replace(show, status=status, updated_at=at, metadata=metadata)


_RETRY = "run the command again"
S = TypeVar("S", bound=StrEnum)


def _check_origin(
    transitions: Mapping[S, frozenset[S]], old: S, new: S, what: str, at: float, via: StatusOrigin
) -> dict[str, Any]:
    """Refuse a status that may not follow; return what the metadata keeps of a change that skips steps."""
    if new not in transitions[old] and (via == "file" or (via == "import" and can_reach(transitions, old, new))):
        return {"status_jump": {"from": str(old), "to": str(new), "at": at, "via": via}}
    check_transition(transitions, old, new, what)
    return {}


def _dumped(metadata: dict[str, Any]) -> str | None:
    return dump(metadata, "metadata") if metadata else None


_PUT_PLAY = """
INSERT INTO plays (id, show_id, name, playbook, effort, status, attempt, session_id, started_at, ended_at, exit_code,
                   worktree, branch, merge_sha, merged_at, gate_passed, gate_feedback, depends_on, sort_order,
                   created_at, updated_at, node_metadata)
VALUES (:id, :show_id, :name, :playbook, :effort, :status, :attempt, :session_id, :started_at, :ended_at, :exit_code,
        :worktree, :branch, :merge_sha, :merged_at, :gate_passed, :gate_feedback, :depends_on, :sort_order,
        :created_at, :updated_at, :node_metadata)
ON CONFLICT (show_id, name) DO UPDATE SET
  playbook = excluded.playbook, effort = excluded.effort, attempt = excluded.attempt,
  session_id = excluded.session_id, started_at = excluded.started_at, ended_at = excluded.ended_at,
  exit_code = excluded.exit_code, worktree = excluded.worktree, branch = excluded.branch,
  merge_sha = excluded.merge_sha, merged_at = excluded.merged_at, gate_passed = excluded.gate_passed,
  gate_feedback = excluded.gate_feedback, depends_on = excluded.depends_on, sort_order = excluded.sort_order,
  updated_at = excluded.updated_at, node_metadata = excluded.node_metadata
"""
_HAS_PLAY = "SELECT 1 FROM plays WHERE show_id = :show AND name = :name"
_PLAY = "SELECT * FROM plays WHERE show_id = :show AND name = :name"
_PLAYS = "SELECT * FROM plays WHERE show_id = :show ORDER BY sort_order, created_at, name"


def put_play(conn: Connection, play: Play, *, by: ChangedBy | Source = "director") -> Play:
    """Insert a play, or update its row, but for its id and status."""
    _write_play(conn, play, by)
    return get_play(conn, play.show_id, play.name)


def _write_play(conn: Connection, play: Play, by: ChangedBy | Source) -> None:
    row = play.to_dict("db") | {
        "id": check_id(play.id, "play id"),
        "name": check_id(play.name, "play name"),
        "status": parse(PlayStatus, play.status, "play status"),
        "gate_passed": None if play.gate_passed is None else int(play.gate_passed),
        "depends_on": dump(list(play.depends_on), "depends_on"),
        "updated_at": play.updated_at if play.updated_at is not None else play.created_at,
        "node_metadata": _dumped(dict(play.metadata)),
    }
    values = validate_row(row)
    if conn.one(_HAS_PLAY, {"show": play.show_id, "name": play.name}) is None:
        record_transition(conn, "play", play.id, None, play.status, by=by, reasons=_reasons(play))
    conn.execute(_PUT_PLAY, values)


def _reasons(play: Play) -> list[str]:
    meta = play.metadata.get("meta")
    code = meta.get("reason_code") if isinstance(meta, dict) else None
    code = code if isinstance(code, str) else PLAYS[play.status].reason
    return [] if code is None else [code]


def find_play(conn: Connection, show_id: str, name: str) -> Play | None:
    row = conn.first_dict(_PLAY, {"show": show_id, "name": name})
    return None if row is None else Play.from_dict(_parsed(row))


def get_play(conn: Connection, show_id: str, name: str) -> Play:
    play = find_play(conn, show_id, name)
    if play is None:
        raise NotFound(f"play {name} does not exist in that show", hint="li show ls")
    return play


def list_plays(conn: Connection, show_id: str) -> list[Play]:
    """List the plays of a show in their order."""
    return [Play.from_dict(_parsed(row)) for row in conn.dicts(_PLAYS, {"show": show_id})]


def sync_play(
    conn: Connection, play: Play, current: Play | None, *, via: StatusOrigin, by: ChangedBy | None = None
) -> Play:
    """Insert a play, or update its current row with its status."""
    _write_play(conn, play, by or _SOURCES[via])
    if current is None:
        stored = get_play(conn, play.show_id, play.name)
    else:
        stored = replace(play, id=current.id, created_at=current.created_at, status=current.status)
    return stored if stored.status is play.status else _move_play(conn, stored, play.status, play.updated_at, via, by)


def transition_play(
    conn: Connection,
    show_id: str,
    name: str,
    status: PlayStatus | str,
    *,
    at: float | None = None,
    by: ChangedBy | None = None,
) -> None:
    """Change the status of a play by one step of the table of transitions."""
    _move_play(conn, get_play(conn, show_id, name), parse(PlayStatus, status, "play status"), at, "step", by)


_MOVE_PLAY = """
UPDATE plays SET status = :new, updated_at = :at, node_metadata = coalesce(:metadata, node_metadata)
 WHERE id = :id AND status = :old RETURNING id
"""


def _move_play(
    conn: Connection, play: Play, status: PlayStatus, at: float | None, via: StatusOrigin, by: ChangedBy | None
) -> Play:
    at = time.time() if at is None else at
    jump = _check_origin(PLAY_TRANSITIONS, play.status, status, f"play {play.name}", at, via)
    metadata = {**play.metadata, **jump}
    values = {
        "id": play.id,
        "old": play.status,
        "new": status,
        "at": at,
        "metadata": _dumped(metadata) if jump else None,
    }
    changed = by or _SOURCES[via]
    record_transition(
        conn, "play", play.id, play.status, status, by=changed, reasons=_reasons(replace(play, status=status)), at=at
    )
    if conn.one(_MOVE_PLAY, values) is None:
        raise IllegalTransition(f"another process changed the status of play {play.name}", hint=_RETRY)
    return replace(play, status=status, updated_at=at, metadata=metadata)


_DELETE_PLAY = "DELETE FROM plays WHERE show_id = :show AND name = :name"


def delete_play(conn: Connection, show_id: str, name: str) -> None:
    """Delete a play that an edit of the plan removed; its session stays."""
    conn.execute(_DELETE_PLAY, {"show": show_id, "name": name})


class PlayOfShow(NamedTuple):
    """A play with the topic of its show."""

    topic: str
    play: Play


_SOURCE = "SELECT s.topic, p.* FROM plays p JOIN shows s ON s.id = p.show_id WHERE p.session_id = :session"


def play_of_session(conn: Connection, session_id: str) -> PlayOfShow | None:
    """Find the play that ran a session."""
    row = next(iter(conn.dicts(_SOURCE, {"session": session_id})), None)
    if row is None:
        return None
    topic = row.pop("topic")
    return PlayOfShow(topic, Play.from_dict(_parsed(row)))


def _parsed(row: dict[str, Any]) -> dict[str, Any]:
    metadata = load_or_keep(row["node_metadata"]) or {}
    parsed = row | {"node_metadata": metadata if isinstance(metadata, dict) else {"unreadable": metadata}}
    if "depends_on" in row:
        parsed["depends_on"] = load_or_keep(row["depends_on"])
    return parsed
