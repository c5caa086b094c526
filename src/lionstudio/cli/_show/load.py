"""A show as the commands of this group see it: its rows, or its folder where it has none yet."""

from __future__ import annotations

import argparse
import os
import time
from typing import Any, NamedTuple

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.errors import LionError, NotFound
from lionstudio.files.shows.show_folder import PlayFolder, ShowFolder, find_shows, read_show
from lionstudio.model.shows.play_graph import blocked_by, critical_path
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.computed_state import play_state, show_state
from lionstudio.model.status.statuses import SHOWS, PlayStatus, ShowStatus, row_of
from lionstudio.settings import Settings
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.state.connection import Connection
from lionstudio.state.shows import find_show, list_plays, list_shows

_MOST = 1000


class LoadedShow(NamedTuple):
    """A show with its plays; `source` says which half it was read from."""

    show: Show
    plays: list[Play]
    source: str = "sqlite"
    error: str | None = None


def get(args: argparse.Namespace) -> LoadedShow:
    """The show that a command names; NotFound when neither half has it."""
    settings = db_access.settings_of(args)
    path = find_show_dir(settings, args.topic)
    found = _in_rows(settings, args.topic)
    if found is not None:
        return found
    if not os.path.isdir(path):
        raise NotFound(f"there is no show {args.topic}", hint=f"`li show ls` lists them; li show plan {args.topic}")
    return _in_folder(path, settings.shows)


def list_all(settings: Settings) -> list[LoadedShow]:
    """Every show, the one that changed last first; those that are only on disk come after."""
    found: list[LoadedShow] = []
    try:
        with db_access.reading(settings.db) as conn:
            found = [LoadedShow(show, list_plays(conn, show.id)) for show in list_shows(conn, _MOST)]
    except NotFound:
        pass  # nothing was ever recorded here
    known = {each.show.topic for each in found}
    try:
        paths = find_shows(settings.shows)
    except LionError:
        paths = []
    return found + [_listed(path, settings.shows) for path in paths if os.path.basename(path) not in known]


def _in_rows(settings: Settings, topic: str) -> LoadedShow | None:
    try:
        with db_access.reading(settings.db) as conn:
            return _rows(conn, topic)
    except NotFound:
        return None


def _rows(conn: Connection, topic: str) -> LoadedShow | None:
    show = find_show(conn, topic)
    return None if show is None else LoadedShow(show, list_plays(conn, show.id))


def _listed(path: str, root: str) -> LoadedShow:
    try:
        return _in_folder(path, root)
    except LionError as error:
        return LoadedShow(Show(topic=os.path.basename(path), show_dir=path), [], "filesystem", error.message)


def _in_folder(path: str, root: str) -> LoadedShow:
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


def _play(show: Show, name: str, found: PlayFolder | None, folder: ShowFolder, number: int) -> Play:
    planned = next((each for each in folder.plan.plays if each.name == name), None)
    meta: dict[str, Any] = found.meta if found is not None else {}
    status = meta.get("status")
    return Play(
        show_id=show.id,
        name=name,
        sort_order=number,
        depends_on=(planned.depends_on or ()) if planned else (),
        status=PlayStatus(status) if status in list(PlayStatus) else PlayStatus.PENDING,
        attempt=meta["attempt"] if isinstance(meta.get("attempt"), int) else 1,
        updated_at=found.times.changed if found is not None else None,
    )


def show_json(found: LoadedShow) -> dict[str, Any]:
    """A show for programs; the words and shapes are those of the API."""
    show, now = found.show, time.time()
    held = blocked_by(found.plays)
    rows = [play.to_dict() for play in found.plays]
    return {
        "topic": show.topic,
        "path": show.show_dir,
        "goal": show.goal,
        "status": str(show.status),
        "status_source": found.source,
        "repo": show.repo,
        "base_branch": show.base_branch,
        "integration_branch": show.integration_branch,
        "updated_at": show.updated_at,
        "updated_at_iso": iso(show.updated_at),
        "state": show_state(show.to_dict(), rows, now=now, source=found.source).to_dict(),
        "plays": [play_json(play, held.get(play.name, ()), now, found.source) for play in found.plays],
        "critical_path": list(critical_path(found.plays, now)),
        "blocked": {name: list(holders) for name, holders in held.items()},
        "error": found.error,
    }


def play_json(play: Play, holders: tuple[str, ...], now: float, source: str) -> dict[str, Any]:
    """A play for programs."""
    meta = play.metadata.get("meta")
    more = meta if isinstance(meta, dict) else {}
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
        "blocked_by": list(holders),
        "reason": more.get("reason"),
        "parked_until": more.get("parked_until"),
        "updated_at": play.updated_at,
        "state": play_state(play.to_dict(), blocked_by=holders, now=now, source=source).to_dict(),
    }


def progress(plays: list[Play]) -> str:
    """3/8: how many are merged."""
    return f"{sum(play.status is PlayStatus.MERGED for play in plays)}/{len(plays)}"


def has_ended(status: ShowStatus) -> bool:
    """Whether a show has come to its end."""
    return row_of(SHOWS, status).has_ended


def time_of(status: ShowStatus, plays: list[Play], now: float) -> tuple[float, float]:
    """When the first play started and up to when time counts: now, or the last end of a show that has ended."""
    began = min((play.started_at for play in plays if play.started_at), default=now)
    if not has_ended(status):
        return began, now
    ends = [moment for play in plays for moment in (play.ended_at, play.merged_at) if moment is not None]
    return began, max(ends, default=began)
