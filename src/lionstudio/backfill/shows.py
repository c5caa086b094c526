"""Show folders into shows and plays, again and again: what the files say is written, what they leave open stays.

A show's status is derived from its files as ADR-0011 has it; a play is tied to its session by name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lionstudio.backfill import identity
from lionstudio.backfill.merging import ITEM_ERRORS, Write, said, settle_rows
from lionstudio.backfill.report import Report, Store, Watch
from lionstudio.backfill.values import moment, text, truth, whole, word
from lionstudio.crash import point
from lionstudio.errors import InvalidInput
from lionstudio.files.shows import PlannedPlay, PlayFolder, ShowFolder, find_shows, names_in, read_show
from lionstudio.model.ids import check_id
from lionstudio.model.jsontext import dump, visible
from lionstudio.model.shows import Play, Show
from lionstudio.model.statuses import PlayStatus, ShowStatus
from lionstudio.state.connection import Connection
from lionstudio.state.shows import find_play, find_show, put_play, put_show
from lionstudio.state.standing import find_session_of_play

_SLACK = 60.0  # seconds by which the clocks of a play and of its session may differ
# Keys of _meta.json that have a column; all others are kept in the metadata under `meta`.
_COLUMNS = frozenset(
    {"worktree", "branch", "attempt", "started_at", "ended_at", "exit_code", "status", "merged_at", "merge_sha",
     "effort", "playbook", "depends_on"}
)  # fmt: skip


def import_shows(
    store: Store,
    roots: Sequence[str],
    report: Report,
    *,
    dry_run: bool = False,
    watch: Watch = lambda done, total: None,
) -> None:
    """Every show under several roots; of two with one topic the first counts."""
    different: dict[str, str] = {}
    for root in roots:
        different.setdefault(os.path.realpath(root), root)  # two names of one folder are one root
    found = [(path, root) for root in different.values() for path in _shows_in(root, report)]
    taken: dict[str, str] = {}
    for number, (path, root) in enumerate(found):
        watch(number, len(found))
        topic = os.path.basename(path)
        if taken.setdefault(topic, path) != path:
            report.skip("show", topic, f"{path} has the same topic as {taken[topic]}, which is imported")
        else:
            _import_show(store, path, root, report, dry_run)
    watch(len(found), len(found))


def _shows_in(root: str, report: Report) -> list[str]:
    try:
        return find_shows(root)
    except ITEM_ERRORS as error:
        report.skip("folder", root, said(error))
        return []


def _import_show(store: Store, path: str, root: str, report: Report, dry_run: bool) -> None:
    topic = os.path.basename(path)
    try:
        check_id(topic, "topic")
        folder = read_show(path, root)
        for play in folder.plays:
            if play.fault is not None:
                report.skip("play", f"{topic}/{play.name}", said(play.fault))
        report.add(settle_rows(store, "show", topic, lambda conn: missing_of(conn, folder), dry_run=dry_run))
    except ITEM_ERRORS as error:
        report.skip("show", visible(topic), said(error))
    point("import.item")


def missing_of(conn: Connection, folder: ShowFolder) -> tuple[list[Write], bool]:
    """The rows that differ from what the folder says, as functions that write them."""
    here = find_show(conn, folder.topic)
    show_id = here.id if here else identity.show(folder.topic)
    planned = {play.name: (number, play) for number, play in enumerate(folder.plan.plays)}
    plays: list[tuple[Play, Play | None]] = []
    for position, item in enumerate(play for play in folder.plays if play.fault is None):
        number, plan = planned.get(item.name, (len(planned) + position, PlannedPlay(item.name)))
        known = find_play(conn, show_id, item.name)
        plays.append((_play(conn, folder.topic, item, plan, known, show_id, number), known))
    readable = len(plays) == len(folder.plays)
    show = _show(folder, here, status_of(folder, [play.status for play, _ in plays], all_readable=readable))
    writes: list[Write] = [] if show == here else [_putting_show(show)]
    writes += [_putting_play(play) for play, known in plays if play != known]
    return writes, here is None


def status_of(folder: ShowFolder, plays: Sequence[PlayStatus], *, all_readable: bool = True) -> ShowStatus:
    """ADR-0011, from files alone: aborted, passed, or all merged; anything else is still active."""
    if folder.aborted:
        return ShowStatus.ABORTED
    if truth((folder.final_verdict or {}).get("show_passed")):
        return ShowStatus.COMPLETED
    merged = bool(plays) and all(status is PlayStatus.MERGED for status in plays)
    return ShowStatus.COMPLETED if merged and all_readable else ShowStatus.ACTIVE


def _show(folder: ShowFolder, here: Show | None, status: ShowStatus) -> Show:
    plan = folder.plan
    base = here or Show(
        id=identity.show(folder.topic), topic=folder.topic, show_dir="", created_at=folder.times.began
    )  # fmt: skip
    moved = here is None or here.status is not status
    known = {
        "goal": plan.goal, "repo": plan.repo, "base_branch": plan.base_branch,
        "integration_branch": plan.integration_branch, "show_dir": folder.path,
    }  # fmt: skip
    wanted = replace(
        base,
        status=status,
        status_source="filesystem" if moved else base.status_source,
        metadata=_with(base.metadata, "final_verdict", _storable(folder.final_verdict)),
        **{name: visible(value) for name, value in known.items() if value},  # type: ignore[arg-type]
    )
    return wanted if wanted == here else replace(wanted, updated_at=_later(here, folder.times.changed))


def _later(here: Show | Play | None, changed: float) -> float:
    return max(changed, (here.updated_at or 0.0) if here else 0.0)


def _with(metadata: Any, key: str, value: Any) -> dict[str, Any]:
    """The metadata with one key as the file has it; everything else is somebody else's."""
    rest = {name: item for name, item in metadata.items() if name != key}
    return {**rest, key: value} if value else rest


def _play(
    conn: Connection, topic: str, folder: PlayFolder, plan: PlannedPlay, here: Play | None, show_id: str, number: int
) -> Play:
    name, meta = check_id(folder.name, "play name"), folder.meta
    base = here or Play(
        id=identity.play(topic, name), show_id=show_id, name=name, created_at=folder.times.began
    )  # fmt: skip
    said_status = word(PlayStatus, meta.get("status"))
    status = said_status or (PlayStatus.PENDING if meta.get("status") is not None else base.status)
    known: dict[str, Any] = {
        "playbook": _shown(meta.get("playbook")) or (plan.playbook and visible(plan.playbook)),
        "effort": _shown(meta.get("effort")) or (plan.effort and visible(plan.effort)),
        "attempt": whole(meta.get("attempt")),
        "started_at": moment(meta.get("started_at")),
        "ended_at": moment(meta.get("ended_at")),
        "exit_code": whole(meta.get("exit_code")),
        "worktree": _shown(meta.get("worktree")),
        "branch": _shown(meta.get("branch")),
        "merge_sha": _shown(meta.get("merge_sha")),
        "merged_at": moment(meta.get("merged_at")),
        **_gate(folder.verdict),
    }
    needs = plan.depends_on if plan.depends_on is not None else names_in(meta.get("depends_on"))
    rest = {key: value for key, value in meta.items() if key not in _COLUMNS and value is not None}
    rest |= {"status": meta["status"]} if said_status is None and meta.get("status") is not None else {}
    wanted = replace(
        base,
        status=status,
        depends_on=base.depends_on if needs is None else needs,
        sort_order=number,
        metadata=_with(base.metadata, "meta", _storable(rest)),
        **{key: value for key, value in known.items() if value is not None},
    )
    wanted = replace(wanted, session_id=_session(conn, topic, wanted, folder) or base.session_id)
    return wanted if wanted == here else replace(wanted, updated_at=_later(here, folder.times.changed))


def _shown(value: object) -> str | None:
    found = text(value)
    return None if found is None else visible(found)


def _storable(rest: Any) -> Any:
    try:
        dump(rest)
    except InvalidInput as error:
        return {"left_in_file": error.message}
    return rest


def _gate(verdict: dict[str, Any] | None) -> dict[str, Any]:
    if verdict is None:
        return {}
    said_so, feedback = truth(verdict.get("gate_passed")), verdict.get("feedback")
    spelled = dump(_storable(feedback)) if isinstance(feedback, (list, dict)) else text(feedback)
    return {"gate_passed": said_so, "gate_feedback": spelled and visible(spelled)}


def _session(conn: Connection, topic: str, play: Play, folder: PlayFolder) -> str | None:
    """The session that a play ran as: by its name, by what it says of itself, by where it worked at that time."""
    began = play.started_at if play.started_at is not None else folder.times.began
    ended = play.ended_at if play.ended_at is not None else folder.times.changed
    return find_session_of_play(
        conn, topic, play.name, worktree=play.worktree, earliest=began - _SLACK, latest=max(began, ended) + _SLACK
    )


def _putting_show(show: Show) -> Write:
    def write(conn: Connection) -> None:
        put_show(conn, show)

    return write


def _putting_play(play: Play) -> Write:
    def write(conn: Connection) -> None:
        put_play(conn, play)

    return write
