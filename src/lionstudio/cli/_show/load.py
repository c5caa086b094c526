"""Load a show for a command: from its rows, or from its folder if it has no rows yet."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from typing import Any, NamedTuple

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.errors import LionError, NotFound
from lionstudio.files.shows.show_folder import FolderPlay, PlayFolder, ShowFolder, find_shows, read_show
from lionstudio.model.shows.play_graph import blocked_by, critical_path
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.computed_state import play_state, show_state
from lionstudio.model.status.statuses import SHOWS, PlayStatus, ShowStatus, row_of
from lionstudio.settings import Settings
from lionstudio.show_sync.rows import play_from_folder
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.state.shows import find_show, list_plays, list_shows

_MAX_SHOWS = 1000


class LoadedShow(NamedTuple):
    """`source` is "sqlite" or "filesystem"."""

    show: Show
    plays: list[Play]
    source: str = "sqlite"
    error: str | None = None


def load_show(args: argparse.Namespace) -> LoadedShow:
    settings = db_access.settings_of(args)
    path = find_show_dir(settings, args.topic)
    loaded = _from_rows(settings, args.topic)
    if loaded is not None:
        return loaded
    if not os.path.isdir(path):
        raise NotFound(f"show {args.topic} not found", hint=f"li show ls, or li show plan {args.topic}")
    return _from_folder(path, settings.shows)


def list_all(settings: Settings) -> list[LoadedShow]:
    """Shows with rows, last changed first, then those that are only on disk."""
    shows: list[LoadedShow] = []
    try:
        with db_access.reading(settings.db) as conn:
            shows = [LoadedShow(show, list_plays(conn, show.id)) for show in list_shows(conn, _MAX_SHOWS)]
    except NotFound:
        pass  # no database yet
    topics = {loaded.show.topic for loaded in shows}
    try:
        paths = find_shows(settings.shows)
    except LionError:
        paths = []
    return shows + [_listed(path, settings.shows) for path in paths if os.path.basename(path) not in topics]


def _from_rows(settings: Settings, topic: str) -> LoadedShow | None:
    try:
        with db_access.reading(settings.db) as conn:
            show = find_show(conn, topic)
            return None if show is None else LoadedShow(show, list_plays(conn, show.id))
    except NotFound:
        return None


def _listed(path: str, root: str) -> LoadedShow:
    try:
        return _from_folder(path, root)
    except LionError as error:
        return LoadedShow(Show(topic=os.path.basename(path), show_dir=path), [], "filesystem", error.message)


def _from_folder(path: str, root: str) -> LoadedShow:
    folder = read_show(path, root)
    show = Show(
        topic=folder.topic,
        show_dir=path,
        goal=folder.plan.goal,
        repo=folder.plan.repo,
        base_branch=folder.plan.base_branch,
        status=ShowStatus.ABORTED if folder.aborted else ShowStatus.ACTIVE,
        status_source="filesystem",
        updated_at=folder.times.changed,
    )
    folders = {play.name: play for play in folder.plays}
    names = dict.fromkeys([*(play.name for play in folder.plan.plays), *folders])
    plays = [_play(show, name, folders.get(name), folder, number) for number, name in enumerate(names)]
    return LoadedShow(show, plays, "filesystem")


def _play(show: Show, name: str, play_folder: PlayFolder | None, folder: ShowFolder, number: int) -> Play:
    planned = next((play for play in folder.plan.plays if play.name == name), None) or FolderPlay(name)
    base = Play(show_id=show.id, name=name)
    if play_folder is None:
        return replace(base, sort_order=number, depends_on=planned.depends_on or ())
    return replace(play_from_folder(base, play_folder, planned, number), updated_at=play_folder.times.changed)


def show_json(loaded: LoadedShow) -> dict[str, Any]:
    """A show as JSON, with the field names of the API."""
    show, plays, now = loaded.show, loaded.plays, time.time()
    blockers = blocked_by(plays)
    rows = [play.to_dict() for play in plays]
    return {
        "topic": show.topic,
        "path": show.show_dir,
        "goal": show.goal,
        "status": str(show.status),
        "status_source": loaded.source,
        "repo": show.repo,
        "base_branch": show.base_branch,
        "integration_branch": show.integration_branch,
        "updated_at": show.updated_at,
        "updated_at_iso": iso(show.updated_at),
        "state": show_state(show.to_dict(), rows, now=now, source=loaded.source).to_dict(),
        "plays": [play_json(play, blockers.get(play.name, ()), now, loaded.source) for play in plays],
        "critical_path": list(critical_path(plays, now)),
        "blocked": {name: list(names) for name, names in blockers.items()},
        "error": loaded.error,
    }


def play_json(play: Play, blockers: tuple[str, ...], now: float, source: str) -> dict[str, Any]:
    meta = play.metadata.get("meta")
    fields = meta if isinstance(meta, dict) else {}
    return {
        "name": play.name,
        "status": str(play.status),
        "attempt": play.attempt,
        "session_id": play.session_id,
        "playbook": play.playbook,
        "effort": play.effort,
        "depends_on": list(play.depends_on),
        "started_at": play.started_at,
        "ended_at": play.ended_at,
        "exit_code": play.exit_code,
        "worktree": play.worktree,
        "branch": play.branch,
        "merge_sha": play.merge_sha,
        "merged_at": play.merged_at,
        "gate_passed": play.gate_passed,
        "gate_feedback": play.gate_feedback,
        "blocked_by": list(blockers),
        "reason": fields.get("reason"),
        "parked_until": fields.get("parked_until"),
        "left_out": fields.get("left_out") or [],
        "left_out_dir": fields.get("left_out_dir"),
        "checkout_kept": fields.get("checkout_kept"),
        "confinement": fields.get("confinement"),
        "updated_at": play.updated_at,
        "state": play_state(play.to_dict(), blocked_by=blockers, now=now, source=source).to_dict(),
    }


def progress(plays: list[Play]) -> str:
    """Merged plays of all plays: 3/8."""
    return f"{sum(play.status is PlayStatus.MERGED for play in plays)}/{len(plays)}"


def has_ended(status: ShowStatus) -> bool:
    return row_of(SHOWS, status).has_ended


def time_of(status: ShowStatus, plays: list[Play], now: float) -> tuple[float, float]:
    """The start of the first play, and now, or the end of the last play of an ended show."""
    started = min((play.started_at for play in plays if play.started_at), default=now)
    if not has_ended(status):
        return started, now
    ends = [end for play in plays for end in (play.ended_at, play.merged_at) if end is not None]
    return started, max(ends, default=started)
