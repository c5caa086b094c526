"""Rows of a show that differ from its folder: the files are the truth, and what they leave open stays in the row.

The status of a show is derived from its files (ADR-0011); a play is linked to its session by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from lionstudio.files.shows.show_folder import FolderPlay, PlayFolder, ShowFolder
from lionstudio.model import import_ids
from lionstudio.model.coerce import to_bool
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import visible
from lionstudio.model.shows.play_codec import play_from_meta, storable, with_key
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.state.connection import Connection
from lionstudio.state.imports.lookup import find_session_of_play
from lionstudio.state.sessions import find_session
from lionstudio.state.shows import find_play, find_show, sync_play, sync_show

_SLACK = 60.0  # seconds by which the clocks of a play and of its session may differ


class RowDifference(NamedTuple):
    """A row that differs from the files: as it should be, and as it is (None: missing)."""

    wanted: Show | Play
    current: Show | Play | None


def row_differences(conn: Connection, folder: ShowFolder) -> list[RowDifference]:
    """List the rows of a show that differ from its folder, the show's own first."""
    current = find_show(conn, folder.topic)
    if current is not None and current.is_for_workers:
        return []  # the folder is a copy, and may be old
    show_id = current.id if current else import_ids.show_id(folder.topic)
    planned = {play.name: (number, play) for number, play in enumerate(folder.plan.plays)}
    plays: list[tuple[Play, Play | None]] = []
    for position, item in enumerate(play for play in folder.plays if play.fault is None):
        number, plan = planned.get(item.name, (len(planned) + position, FolderPlay(item.name)))
        row = find_play(conn, show_id, item.name)
        plays.append((_wanted_play(conn, folder.topic, item, plan, row, show_id, number), row))
    readable = len(plays) == len(folder.plays)
    show = _wanted_show(folder, current, status_of(folder, [play.status for play, _ in plays], all_readable=readable))
    pairs = [RowDifference(show, current), *(RowDifference(play, row) for play, row in plays)]
    return [pair for pair in pairs if pair.wanted != pair.current]


def apply_difference(conn: Connection, difference: RowDifference) -> None:
    """Write one row as the files have it."""
    match difference:
        case RowDifference(Show() as show, current) if not isinstance(current, Play):
            sync_show(conn, show, current, via="file")
        case RowDifference(Play() as play, current) if not isinstance(current, Show):
            sync_play(conn, play, current, via="file")


def status_of(folder: ShowFolder, plays: Sequence[PlayStatus], *, all_readable: bool = True) -> ShowStatus:
    """Derive the status of a show from its files (ADR-0011)."""
    if folder.aborted:
        return ShowStatus.ABORTED
    passed = to_bool((folder.final_verdict or {}).get("show_passed"))
    if passed is not None:
        return ShowStatus.COMPLETED if passed else ShowStatus.ABORTED
    merged = bool(plays) and all(status is PlayStatus.MERGED for status in plays)
    over = merged and all_readable and not folder.plan.final_gates
    return ShowStatus.COMPLETED if over else ShowStatus.ACTIVE


def _wanted_show(folder: ShowFolder, current: Show | None, status: ShowStatus) -> Show:
    plan = folder.plan
    base = current or Show(
        id=import_ids.show_id(folder.topic), topic=folder.topic, show_dir="", created_at=folder.times.began
    )
    has_changed = current is None or current.status is not status
    columns = {
        "goal": plan.goal,
        "repo": plan.repo,
        "base_branch": plan.base_branch,
        "integration_branch": plan.integration_branch,
        "show_dir": folder.path,
    }
    wanted = replace(
        base,
        status=status,
        status_source="filesystem" if has_changed else base.status_source,
        metadata=with_key(base.metadata, "final_verdict", storable(folder.final_verdict)),
        **{name: visible(value) for name, value in columns.items() if value},  # type: ignore[arg-type]
    )
    return wanted if wanted == current else replace(wanted, updated_at=_later(current, folder.times.changed))


def _later(current: Show | Play | None, changed: float) -> float:
    return max(changed, (current.updated_at or 0.0) if current else 0.0)


def _wanted_play(
    conn: Connection, topic: str, folder: PlayFolder, plan: FolderPlay, current: Play | None, show_id: str, number: int
) -> Play:
    name = check_id(folder.name, "play name")
    base = current or Play(
        id=import_ids.play_id(topic, name), show_id=show_id, name=name, created_at=folder.times.began
    )
    wanted = play_from_folder(base, folder, plan, number)
    wanted = replace(wanted, session_id=_find_session_id(conn, topic, wanted, folder) or base.session_id)
    return wanted if wanted == current else replace(wanted, updated_at=_later(current, folder.times.changed))


def play_from_folder(base: Play, folder: PlayFolder, plan: FolderPlay, number: int) -> Play:
    """Return `base` with what the folder and the plan say; the plan decides the dependencies."""
    playbook = visible(plan.playbook) if plan.playbook else base.playbook
    effort = visible(plan.effort) if plan.effort else base.effort
    play = play_from_meta(replace(base, playbook=playbook, effort=effort), folder.meta, folder.verdict)
    depends_on = play.depends_on if plan.depends_on is None else plan.depends_on
    return replace(play, depends_on=depends_on, sort_order=number)


def _find_session_id(conn: Connection, topic: str, play: Play, folder: PlayFolder) -> str | None:
    """Find the session of a play: by its file, by its name, or by its worktree at that time."""
    session_id = folder.meta.get("session_id")
    if isinstance(session_id, str) and find_session(conn, session_id) is not None:
        return session_id
    began = play.started_at if play.started_at is not None else folder.times.began
    ended = play.ended_at if play.ended_at is not None else folder.times.changed
    return find_session_of_play(
        conn, topic, play.name, worktree=play.worktree, earliest=began - _SLACK, latest=max(began, ended) + _SLACK
    )
