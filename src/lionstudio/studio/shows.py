"""Shows on their way to a page: rows first, and what only the folder has; one without rows is read from its folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from lionstudio.errors import LionError, NotFound
from lionstudio.files.safe import is_within, read_text
from lionstudio.files.shows import MOST_BYTES, PLAN, PlayFolder, ShowFolder, find_shows, read_show
from lionstudio.model.graph import blocked_by, critical_path
from lionstudio.model.shows import Play, Show
from lionstudio.model.states import play_state, show_state
from lionstudio.state.connection import Connection
from lionstudio.state.shows import find_show, list_plays
from lionstudio.state.summaries import session_names

UNKNOWN = "unknown"  # ADR-0011: the status of a show that is not in the database yet


def show_of_rows(conn: Connection, topic: str, now: float) -> dict[str, Any] | None:
    """ADR-0011's shape from the database, None when it has no such show; nothing of the folder is read here."""
    show = find_show(conn, topic)
    if show is None:
        return None
    plays = list_plays(conn, show.id)
    names = session_names(conn, [play.session_id for play in plays if play.session_id])
    blocked = blocked_by(plays)
    rows = [play.to_dict() for play in plays]
    return {
        "topic": show.topic,
        "path": show.show_dir,
        "show_md": None,
        "goal": show.goal,
        "status": str(show.status),
        "status_source": "sqlite",
        "plays": [play_to_wire(play, names, blocked.get(play.name, ())) for play in plays],
        "critical_path": list(critical_path(plays, now)),
        "blocked": {name: list(holders) for name, holders in blocked.items()},
        "state": show_state(show.to_dict(), rows).to_dict(),
        "repo": show.repo,
        "base_branch": show.base_branch,
        "integration_branch": show.integration_branch,
        "updated_at": show.updated_at,
    }


def play_to_wire(play: Play, names: Mapping[str, str | None], holders: tuple[str, ...]) -> dict[str, Any]:
    """A play in ADR-0011's shape, with its state."""
    return {
        "name": play.name,
        "meta": {
            "worktree": play.worktree, "branch": play.branch, "attempt": play.attempt, "started_at": play.started_at,
            "ended_at": play.ended_at, "exit_code": play.exit_code, "merged_at": play.merged_at,
            "merge_sha": play.merge_sha, "status": str(play.status), "playbook": play.playbook, "effort": play.effort,
        },
        "verdict": {"gate_passed": play.gate_passed, "feedback": play.gate_feedback},
        "session_id": play.session_id,
        "session_name": names.get(play.session_id or ""),
        "intent": None,
        "updated_at": play.updated_at,
        "depends_on": list(play.depends_on),
        "blocked_by": list(holders),
        "state": play_state(play.to_dict(), blocked_by=holders).to_dict(),
    }  # fmt: skip


def listed(show: Show, counts: Mapping[str, int]) -> dict[str, Any]:
    """A show of the database in a list."""
    needing = [{"name": status, "status": status} for status, n in counts.items() if n]
    return {
        "topic": show.topic, "path": show.show_dir, "goal": show.goal, "status": str(show.status),
        "status_source": "sqlite", "updated_at": show.updated_at, "plays_by_status": dict(counts),
        "state": show_state(show.to_dict(), needing).to_dict(), "error": None,
    }  # fmt: skip


def listed_from_disk(root: str, known: set[str]) -> list[dict[str, Any]]:
    """The shows of a folder that the database does not have; a bad one is one entry that says why."""
    try:
        paths = [path for path in find_shows(root) if os.path.basename(path) not in known]
    except LionError:
        return []
    return [_listed_folder(path, root) for path in paths]


def _listed_folder(path: str, root: str) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "topic": os.path.basename(path), "path": path, "goal": None, "status": UNKNOWN, "status_source": "filesystem",
        "updated_at": None, "plays_by_status": {}, "state": None, "error": None,
    }  # fmt: skip
    try:
        folder = read_show(path, root)
    except LionError as error:
        return entry | {"error": error.message}
    counts: dict[str, int] = {}
    for play in folder.plays:
        status = str(play.meta.get("status") or UNKNOWN)
        counts[status] = counts.get(status, 0) + 1
    return entry | {"goal": folder.plan.goal, "updated_at": folder.times.changed, "plays_by_status": counts}


def show_of_folder(root: str, topic: str) -> dict[str, Any]:
    """The minimal shape for a show that is only on disk; NotFound otherwise."""
    path = os.path.join(root, topic)
    if not os.path.isdir(path) or not is_within(path, root):
        raise NotFound(f"there is no show {topic!r:.100}", hint="`li show ls` lists them")
    folder = read_show(path, root)
    return {
        "topic": topic, "path": path, "show_md": plan_text(path, root), "goal": folder.plan.goal, "status": UNKNOWN,
        "status_source": "filesystem", "plays": [_play_of_folder(play, folder) for play in folder.plays],
        "critical_path": [], "blocked": {}, "state": None,
    }  # fmt: skip


def _play_of_folder(play: PlayFolder, show: ShowFolder) -> dict[str, Any]:
    planned = next((each for each in show.plan.plays if each.name == play.name), None)
    return {
        "name": play.name, "meta": play.meta, "verdict": play.verdict, "updated_at": play.times.changed,
        "depends_on": list(planned.depends_on or ()) if planned else [],
        "error": None if play.fault is None else play.fault.message,
    }  # fmt: skip


def plan_text(path: str, root: str) -> str | None:
    """`_show.md` as it is, None when there is none that can be read."""
    return text_in(os.path.join(path, PLAN), root)[0]


def text_in(path: str, root: str) -> tuple[str | None, str | None]:
    """(text, why not): the content of a file below a root, by the one safe way of reading."""
    if not os.path.lexists(path):
        return None, None
    try:
        return read_text(path, most=MOST_BYTES, root=root), None
    except LionError as error:
        return None, error.message
