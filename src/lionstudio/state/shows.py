"""Shows and plays: rows beside the folders of a show, and questions across all of them (ADR-0011)."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from lionstudio.errors import IllegalTransition, NotFound
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.shows import play_graph
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import (
    PLAY_TRANSITIONS,
    SHOW_TRANSITIONS,
    PlayStatus,
    ShowStatus,
    check_transition,
    parse,
)
from lionstudio.state.connection import Connection
from lionstudio.state.row_values import validate_row

_PUT_SHOW = """
INSERT INTO shows (id, topic, goal, repo, base_branch, integration_branch, status, status_source, show_dir,
                   created_at, updated_at, node_metadata)
VALUES (:id, :topic, :goal, :repo, :base_branch, :integration_branch, :status, :status_source, :show_dir,
        :created_at, :updated_at, :node_metadata)
ON CONFLICT (topic) DO UPDATE SET
  goal = excluded.goal, repo = excluded.repo, base_branch = excluded.base_branch,
  integration_branch = excluded.integration_branch, status = excluded.status,
  status_source = excluded.status_source, show_dir = excluded.show_dir, updated_at = excluded.updated_at,
  node_metadata = excluded.node_metadata
RETURNING id
"""
_SHOW = "SELECT * FROM shows WHERE topic = :topic"
_SHOWS = "SELECT * FROM shows ORDER BY updated_at DESC, id DESC LIMIT :limit"


def put_show(conn: Connection, show: Show) -> Show:
    """Insert a show, or bring the row of its topic up to date; the id that was there first stays."""
    now = show.updated_at if show.updated_at is not None else show.created_at
    row = show.to_dict("db") | {
        "id": check_id(show.id, "show id"),
        "topic": check_id(show.topic, "topic"),
        "status": parse(ShowStatus, show.status, "show status"),
        "updated_at": now,
        "node_metadata": dump(dict(show.metadata), "metadata") if show.metadata else None,
    }
    conn.execute(_PUT_SHOW, validate_row(row))
    return get_show(conn, show.topic)


def find_show(conn: Connection, topic: str) -> Show | None:
    """One show by its topic."""
    row = conn.first_dict(_SHOW, {"topic": topic})
    return None if row is None else Show.from_dict(_parsed(row))


def get_show(conn: Connection, topic: str) -> Show:
    """One show by its topic; NotFound otherwise."""
    found = find_show(conn, topic)
    if found is None:
        raise NotFound(f"there is no show {topic}", hint="`li show ls` lists them")
    return found


def list_shows(conn: Connection, limit: int = 100) -> list[Show]:
    """Shows, the one that changed last first."""
    return [Show.from_dict(_parsed(row)) for row in conn.dicts(_SHOWS, {"limit": limit})]


_MOVE_SHOW = "UPDATE shows SET status = :new, updated_at = :at WHERE topic = :topic AND status = :old RETURNING id"


def transition_show(conn: Connection, topic: str, status: ShowStatus | str, *, at: float | None = None) -> None:
    """Give a show another status, if the table of moves has it."""
    wanted, show = parse(ShowStatus, status, "show status"), get_show(conn, topic)
    check_transition(SHOW_TRANSITIONS, show.status, wanted, f"show {topic}")
    values = {"topic": topic, "old": show.status, "new": wanted, "at": time.time() if at is None else at}
    if conn.one(_MOVE_SHOW, values) is None:
        raise IllegalTransition(f"show {topic} was moved by somebody else just now", hint="look again, then decide")


_PUT_PLAY = """
INSERT INTO plays (id, show_id, name, playbook, effort, status, attempt, session_id, started_at, ended_at, exit_code,
                   worktree, branch, merge_sha, merged_at, gate_passed, gate_feedback, depends_on, sort_order,
                   created_at, updated_at, node_metadata)
VALUES (:id, :show_id, :name, :playbook, :effort, :status, :attempt, :session_id, :started_at, :ended_at, :exit_code,
        :worktree, :branch, :merge_sha, :merged_at, :gate_passed, :gate_feedback, :depends_on, :sort_order,
        :created_at, :updated_at, :node_metadata)
ON CONFLICT (show_id, name) DO UPDATE SET
  playbook = excluded.playbook, effort = excluded.effort, status = excluded.status, attempt = excluded.attempt,
  session_id = excluded.session_id, started_at = excluded.started_at, ended_at = excluded.ended_at,
  exit_code = excluded.exit_code, worktree = excluded.worktree, branch = excluded.branch,
  merge_sha = excluded.merge_sha, merged_at = excluded.merged_at, gate_passed = excluded.gate_passed,
  gate_feedback = excluded.gate_feedback, depends_on = excluded.depends_on, sort_order = excluded.sort_order,
  updated_at = excluded.updated_at, node_metadata = excluded.node_metadata
"""
_PLAY = "SELECT * FROM plays WHERE show_id = :show AND name = :name"
_PLAYS = "SELECT * FROM plays WHERE show_id = :show ORDER BY sort_order, created_at, name"


def put_play(conn: Connection, play: Play) -> Play:
    """Insert a play, or bring its row up to date from what its folder says; moves go through move_play."""
    row = play.to_dict("db") | {
        "id": check_id(play.id, "play id"),
        "name": check_id(play.name, "play name"),
        "status": parse(PlayStatus, play.status, "play status"),
        "gate_passed": None if play.gate_passed is None else int(play.gate_passed),
        "depends_on": dump(list(play.depends_on), "depends_on"),
        "updated_at": play.updated_at if play.updated_at is not None else play.created_at,
        "node_metadata": dump(dict(play.metadata), "metadata") if play.metadata else None,
    }
    conn.execute(_PUT_PLAY, validate_row(row))
    return get_play(conn, play.show_id, play.name)


def find_play(conn: Connection, show_id: str, name: str) -> Play | None:
    """One play of a show by its name."""
    row = conn.first_dict(_PLAY, {"show": show_id, "name": name})
    return None if row is None else Play.from_dict(_parsed(row))


def get_play(conn: Connection, show_id: str, name: str) -> Play:
    """One play of a show by its name; NotFound otherwise."""
    found = find_play(conn, show_id, name)
    if found is None:
        raise NotFound(f"there is no play {name} in that show", hint="`li show status TOPIC` lists its plays")
    return found


def list_plays(conn: Connection, show_id: str) -> list[Play]:
    """The plays of a show in their order."""
    return [Play.from_dict(_parsed(row)) for row in conn.dicts(_PLAYS, {"show": show_id})]


_MOVE_PLAY = "UPDATE plays SET status = :new, updated_at = :at WHERE id = :id AND status = :old RETURNING id"


def transition_play(
    conn: Connection, show_id: str, name: str, status: PlayStatus | str, *, at: float | None = None
) -> None:
    """Give a play another status, if the table of moves has it."""
    wanted, play = parse(PlayStatus, status, "play status"), get_play(conn, show_id, name)
    check_transition(PLAY_TRANSITIONS, play.status, wanted, f"play {name}")
    values = {"id": play.id, "old": play.status, "new": wanted, "at": time.time() if at is None else at}
    if conn.one(_MOVE_PLAY, values) is None:
        raise IllegalTransition(f"play {name} was moved by somebody else just now", hint="look again, then decide")


_SESSION_BY_NAME = "SELECT id FROM sessions WHERE name = :name ORDER BY created_at DESC LIMIT 1"
_LINK = "UPDATE plays SET session_id = :session, updated_at = :at WHERE show_id = :show AND name = :name RETURNING id"


def link_session(conn: Connection, show: Show, play_name: str, *, at: float | None = None) -> str | None:
    """Tie a play to the newest session with its deterministic name (ADR-0011); None when there is none."""
    session: str | None = conn.value(_SESSION_BY_NAME, {"name": f"show_{show.topic}_{play_name}"})
    if session is not None:
        values = {"session": session, "show": show.id, "name": play_name, "at": time.time() if at is None else at}
        if conn.one(_LINK, values) is None:
            raise NotFound(f"there is no play {play_name} in show {show.topic}")
    return session


_DELETE_SHOW = "DELETE FROM shows WHERE topic = :topic RETURNING id"


def delete_show(conn: Connection, topic: str) -> None:
    """Forget a show and its plays; their sessions stay and may be pruned from then on."""
    if conn.one(_DELETE_SHOW, {"topic": topic}) is None:
        raise NotFound(f"there is no show {topic}", hint="`li show ls` lists them")


_DELETE_PLAY = "DELETE FROM plays WHERE show_id = :show AND name = :name"


def delete_play(conn: Connection, show_id: str, name: str) -> None:
    """Forget a play that left the plan; its session stays."""
    conn.execute(_DELETE_PLAY, {"show": show_id, "name": name})


class PlayOfShow(NamedTuple):
    """A play with the topic of its show."""

    topic: str
    play: Play


_SOURCE = "SELECT s.topic, p.* FROM plays p JOIN shows s ON s.id = p.show_id WHERE p.session_id = :session"
_WITH_STATUS = """
SELECT s.topic, p.* FROM plays p JOIN shows s ON s.id = p.show_id
 WHERE p.status = :status ORDER BY p.updated_at DESC, p.id
"""


def play_of_session(conn: Connection, session_id: str) -> PlayOfShow | None:
    """The play that a run belongs to, for its backlink."""
    rows = conn.dicts(_SOURCE, {"session": session_id})
    return _of_show(rows[0]) if rows else None


def plays_with_status(conn: Connection, status: PlayStatus | str) -> list[PlayOfShow]:
    """Plays of all shows in one status, e.g. every escalated one."""
    wanted = parse(PlayStatus, status, "play status")
    return [_of_show(row) for row in conn.dicts(_WITH_STATUS, {"status": wanted})]


def blocked_plays(conn: Connection, topic: str) -> dict[str, tuple[str, ...]]:
    """The plays that cannot start, and by whom they are held."""
    return play_graph.blocked_by(list_plays(conn, get_show(conn, topic).id))


def critical_path(conn: Connection, topic: str, now: float) -> tuple[str, ...]:
    """The chain of plays that decides when the show ends."""
    return play_graph.critical_path(list_plays(conn, get_show(conn, topic).id), now)


def _of_show(row: dict[str, Any]) -> PlayOfShow:
    topic = row.pop("topic")
    return PlayOfShow(topic, Play.from_dict(_parsed(row)))


def _parsed(row: dict[str, Any]) -> dict[str, Any]:
    metadata = load_or_keep(row["node_metadata"]) or {}
    parsed = row | {"node_metadata": metadata if isinstance(metadata, dict) else {"unreadable": metadata}}
    if "depends_on" in row:
        parsed["depends_on"] = load_or_keep(row["depends_on"])
    return parsed
