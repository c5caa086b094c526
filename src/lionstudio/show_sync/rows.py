"""Show folders and their rows: what the files say is what the rows should say, what they leave open stays.

A show's status is derived from its files as ADR-0011 has it; a play is tied to its session by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.files.shows.show_folder import FolderPlay, PlayFolder, ShowFolder, name_list
from lionstudio.model import import_ids
from lionstudio.model.coerce import to_bool, to_enum, to_int, to_text, to_timestamp
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump, visible
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.state.connection import Connection
from lionstudio.state.imports.existing import find_session_of_play
from lionstudio.state.sessions import find_session
from lionstudio.state.shows import find_play, find_show, put_play, put_show

_SLACK = 60.0  # seconds by which the clocks of a play and of its session may differ
# Keys of _meta.json that have a column; all others are kept in the metadata under `meta`.
_COLUMNS = frozenset(
    {
        "worktree",
        "branch",
        "attempt",
        "started_at",
        "ended_at",
        "exit_code",
        "status",
        "merged_at",
        "merge_sha",
        "effort",
        "playbook",
        "depends_on",
    }
)
# Of these, null in the file says that there is none: a play that is redone has not ended yet.
_MAY_BE_NONE = ("started_at", "ended_at", "exit_code", "worktree", "branch", "merge_sha", "merged_at")


class Differing(NamedTuple):
    """A row that is not as the files have it: as it should be, and as it is (None: it is not there)."""

    wanted: Show | Play
    here: Show | Play | None


def differing(conn: Connection, folder: ShowFolder) -> list[Differing]:
    """The rows of a show that differ from what its folder says, the show's own first."""
    here = find_show(conn, folder.topic)
    show_id = here.id if here else import_ids.show_id(folder.topic)
    planned = {play.name: (number, play) for number, play in enumerate(folder.plan.plays)}
    plays: list[tuple[Play, Play | None]] = []
    for position, item in enumerate(play for play in folder.plays if play.fault is None):
        number, plan = planned.get(item.name, (len(planned) + position, FolderPlay(item.name)))
        known = find_play(conn, show_id, item.name)
        plays.append((_play(conn, folder.topic, item, plan, known, show_id, number), known))
    readable = len(plays) == len(folder.plays)
    show = _show(folder, here, status_of(folder, [play.status for play, _ in plays], all_readable=readable))
    found = [Differing(show, here), *(Differing(play, known) for play, known in plays)]
    return [each for each in found if each.wanted != each.here]


def put_differing(conn: Connection, each: Differing) -> None:
    """Write one row as the files have it."""
    if isinstance(each.wanted, Show):
        put_show(conn, each.wanted)
    else:
        put_play(conn, each.wanted)


def status_of(folder: ShowFolder, plays: Sequence[PlayStatus], *, all_readable: bool = True) -> ShowStatus:
    """ADR-0011, from files alone: aborted, as the final gate said, or all merged with no such gate to come."""
    if folder.aborted:
        return ShowStatus.ABORTED
    passed = to_bool((folder.final_verdict or {}).get("show_passed"))
    if passed is not None:
        return ShowStatus.COMPLETED if passed else ShowStatus.ABORTED
    merged = bool(plays) and all(status is PlayStatus.MERGED for status in plays)
    over = merged and all_readable and not folder.plan.final_gates
    return ShowStatus.COMPLETED if over else ShowStatus.ACTIVE


def _show(folder: ShowFolder, here: Show | None, status: ShowStatus) -> Show:
    plan = folder.plan
    base = here or Show(
        id=import_ids.show_id(folder.topic), topic=folder.topic, show_dir="", created_at=folder.times.began
    )
    moved = here is None or here.status is not status
    known = {
        "goal": plan.goal,
        "repo": plan.repo,
        "base_branch": plan.base_branch,
        "integration_branch": plan.integration_branch,
        "show_dir": folder.path,
    }
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
    conn: Connection, topic: str, folder: PlayFolder, plan: FolderPlay, here: Play | None, show_id: str, number: int
) -> Play:
    name, meta = check_id(folder.name, "play name"), folder.meta
    base = here or Play(id=import_ids.play_id(topic, name), show_id=show_id, name=name, created_at=folder.times.began)
    said_status = to_enum(PlayStatus, meta.get("status"))
    status = said_status or (PlayStatus.PENDING if meta.get("status") is not None else base.status)
    known: dict[str, Any] = {
        "playbook": _shown(meta.get("playbook")) or (plan.playbook and visible(plan.playbook)),
        "effort": _shown(meta.get("effort")) or (plan.effort and visible(plan.effort)),
        "attempt": to_int(meta.get("attempt")),
        "started_at": to_timestamp(meta.get("started_at")),
        "ended_at": to_timestamp(meta.get("ended_at")),
        "exit_code": to_int(meta.get("exit_code")),
        "worktree": _shown(meta.get("worktree")),
        "branch": _shown(meta.get("branch")),
        "merge_sha": _shown(meta.get("merge_sha")),
        "merged_at": to_timestamp(meta.get("merged_at")),
        **_gate(folder.verdict),
    }
    needs = plan.depends_on if plan.depends_on is not None else name_list(meta.get("depends_on"))
    rest = {key: value for key, value in meta.items() if key not in _COLUMNS and value is not None}
    rest |= {"status": meta["status"]} if said_status is None and meta.get("status") is not None else {}
    emptied = [key for key in _MAY_BE_NONE if key in meta and meta[key] is None]
    wanted = replace(
        base,
        status=status,
        depends_on=base.depends_on if needs is None else needs,
        sort_order=number,
        metadata=_with(base.metadata, "meta", _storable(rest)),
        **{key: value for key, value in known.items() if value is not None or key in emptied},
    )
    wanted = replace(wanted, session_id=_session(conn, topic, wanted, folder) or base.session_id)
    return wanted if wanted == here else replace(wanted, updated_at=_later(here, folder.times.changed))


def _shown(value: object) -> str | None:
    found = to_text(value)
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
    said_so, feedback = to_bool(verdict.get("gate_passed")), verdict.get("feedback")
    spelled = dump(_storable(feedback)) if isinstance(feedback, (list, dict)) else to_text(feedback)
    return {"gate_passed": said_so, "gate_feedback": spelled and visible(spelled)}


def _session(conn: Connection, topic: str, play: Play, folder: PlayFolder) -> str | None:
    """The session that a play ran as: as its file says, by its name, by where it worked at that time."""
    said = folder.meta.get("session_id")
    if isinstance(said, str) and find_session(conn, said) is not None:
        return said
    began = play.started_at if play.started_at is not None else folder.times.began
    ended = play.ended_at if play.ended_at is not None else folder.times.changed
    return find_session_of_play(
        conn, topic, play.name, worktree=play.worktree, earliest=began - _SLACK, latest=max(began, ended) + _SLACK
    )
