"""Shows as the API returns them, from their rows, or from the folder of a show without rows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lionstudio.errors import LionError, NotFound
from lionstudio.files.shows.show_folder import MOST_BYTES, PlayFolder, ShowFolder, find_shows, read_show
from lionstudio.model.coerce import dict_of, list_of, to_int
from lionstudio.model.shows.play_codec import meta_columns, typed_meta, typed_verdict
from lionstudio.model.shows.play_graph import blocked_by, critical_path
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.shows.show_files import PLAN
from lionstudio.model.status.computed_state import awaits_decision, play_state, show_state
from lionstudio.model.status.play_badges import play_badges
from lionstudio.model.status.statuses import PLAYS, PlayStatus, ShowStatus, row_of
from lionstudio.model.status.vocabulary import GROUP_TONES, StatusGroup, group_label
from lionstudio.show_sync.actions import describe_play_actions, describe_show_actions, has_begun, play_actions
from lionstudio.state.connection import Connection
from lionstudio.state.runs.page_queries import play_counts, plays_to_decide, running_plays, session_names
from lionstudio.state.show_activity import OpenWait, list_open_waits
from lionstudio.state.show_usage import ShowUsage, usage_by_play, usage_by_show, usage_of_show
from lionstudio.state.shows import find_play, find_show, list_plays
from lionstudio.state.transitions import list_transitions
from lionstudio.state.workers.show_workers import PlayWorker, ShowWorkers, show_workers
from lionstudio.system.safe_read import is_within, read_text

UNKNOWN = "unknown"  # ADR-0011: the status of a show that is not in the database yet


def show_from_rows(conn: Connection, topic: str, now: float) -> dict[str, Any] | None:
    """A show in the shape of ADR-0011 from the database, None when it has no such show; the folder is not read."""
    show = find_show(conn, topic)
    if show is None:
        return None
    plays = list_plays(conn, show.id)
    names = session_names(conn, [play.session_id for play in plays if play.session_id])
    blocked = blocked_by(plays)
    rows = [play.to_dict() for play in plays]
    waits = [wait for wait in list_open_waits(conn) if wait.topic == topic]
    asked = {wait.play: wait.title for wait in reversed(waits)}
    used, used_by_play = usage_of_show(conn, topic, now), usage_by_play(conn, topic, now)
    merged = [play for play in plays if play.merge_sha and isinstance(play.merged_at, (int, float))]
    transitions = [change.to_dict() for change in list_transitions(conn, "show", show.id)]
    workers = show_workers(conn, topic)
    begun = [play.started_at for play in plays if isinstance(play.started_at, (int, float))]
    return {
        "topic": show.topic,
        "path": show.show_dir,
        "show_md": None,
        "goal": show.goal,
        "status": str(show.status),
        "status_source": "sqlite",
        "plays": [
            play_json(play, names, blocked.get(play.name, ()), now, asked.get(play.name), workers.plays.get(play.name))
            | {"usage": used_by_play.get(play.name, ShowUsage()).to_dict()}
            | {"worker": worker._asdict() if (worker := workers.plays.get(play.name)) else None}
            for play in plays
        ],
        "director": workers.director and workers.director._asdict(),
        "by_workers": show.is_for_workers,
        "machines": _machines(workers),
        "critical_path": list(critical_path(plays, now)),
        "blocked": {name: list(holders) for name, holders in blocked.items()},
        "state": show_state(show.to_dict(), rows, now=now, asking=asked).to_dict(),
        "waits_for": waits_json(waits, rows, now),
        "usage": used.to_dict(),
        "spent": {"tokens": used.tokens, "cost_microusd": used.cost_microusd, "seconds": used.seconds},
        "started_at": min(begun, default=None),
        "ended_at": None if show.status is ShowStatus.ACTIVE else _end_of(transitions) or show.updated_at,
        "commit": max(merged, key=lambda play: play.merged_at or 0.0).merge_sha if merged else None,
        "plan_error": show.metadata.get("plan_error"),
        "facts": show.metadata,
        "repo": show.repo,
        "base_branch": show.base_branch,
        "integration_branch": show.integration_branch,
        "updated_at": show.updated_at,
        "edges": edges(plays),
        "actions": [],
        "deeds": [],
        "final_verdict": None,
        "error": None,
        **progress({str(status): n for status, n in Counter(play.status for play in plays).items()}),
        "running_plays": [play.name for play in plays if play.status == "running"],
        "transitions": transitions,
    }


def _machines(workers: ShowWorkers) -> list[str]:
    """The names of the workers that have an open order of the show."""
    every = (workers.director, *workers.plays.values())
    return sorted({one.name for one in every if one is not None and one.is_open and one.name is not None})


def _end_of(transitions: Sequence[Mapping[str, Any]]) -> float | None:
    """When a show that has ended did so; an import has no time of its own."""
    return next((change["at"] for change in reversed(transitions) if change["previous"] is not None), None)


def waits_json(waits: Sequence[OpenWait], plays: Iterable[Mapping[str, Any]], now: float) -> list[dict[str, Any]]:
    """The open questions of a show, and its plays that wait for a decision without one."""
    asked = {wait.play for wait in waits}
    listed = [{"play": wait.play, "kind": wait.kind, "title": wait.title} for wait in waits]
    return listed + [
        {"play": play["name"], "kind": str(play["status"]), "title": f"{play['name']} is {label}"}
        for play in plays
        if play["name"] not in asked and awaits_decision(play, now)
        for label in [row_of(PLAYS, play["status"]).label]
    ]


def play_transitions(conn: Connection, topic: str, name: str) -> list[dict[str, Any]]:
    """The status history of a play, empty for one that is only on disk."""
    show = find_show(conn, topic)
    play = None if show is None else find_play(conn, show.id, name)
    return [] if play is None else [change.to_dict() for change in list_transitions(conn, "play", play.id)]


def edges(plays: Iterable[Play]) -> list[dict[str, str]]:
    """The dependencies between plays; an unknown name has no edge, `blocked` reports it."""
    by_name = {play.name: play for play in plays}
    return [
        {"source": need, "target": play.name}
        for play in by_name.values()
        for need in dict.fromkeys(play.depends_on)
        if need in by_name
    ]


def progress(counts: Mapping[str, int]) -> dict[str, Any]:
    """The number of plays, of merged plays, and of plays in each group; an unknown status counts as pending."""
    groups = Counter[StatusGroup]()
    for status, n in counts.items():
        groups[PLAYS[PlayStatus(status)].group if status in PLAYS else "pending"] += n
    return {
        "plays_total": sum(counts.values()),
        "plays_merged": counts.get("merged", 0),
        "plays_by_group": [
            {"group": group, "label": group_label(group), "tone": tone, "plays": groups[group]}
            for group, tone in GROUP_TONES.items()
            if groups[group]
        ],
    }


def play_json(
    play: Play,
    names: Mapping[str, str | None],
    holders: tuple[str, ...],
    now: float,
    question: str | None = None,
    worker: PlayWorker | None = None,
) -> dict[str, Any]:
    """A play in the shape of ADR-0011, with its state."""
    row, wait = play.to_dict(), None if worker is None else worker.wait
    return {
        "name": play.name,
        "meta": meta_columns(play),
        "verdict": {"gate_passed": play.gate_passed, "feedback": play.gate_feedback},
        "session_id": play.session_id,
        "session_name": names.get(play.session_id or ""),
        "intent": None,
        "updated_at": play.updated_at,
        "depends_on": list(play.depends_on),
        "blocked_by": list(holders),
        "state": play_state(row, blocked_by=holders, now=now, question=question, wait=wait).to_dict(),
        "badges": [badge._asdict() for badge in play_badges(row, asked=question is not None, waits=wait is not None)],
        "confinement": _confinement(play.metadata.get("meta")),
        "conflict": _conflict(play),
        "changed_files": _changed_files(play),
        "duration_ms": play.duration_ms,
        **_left_out(play.metadata.get("meta")),
        "actions": play_actions(str(play.status)),
        "deeds": describe_play_actions(play.name, str(play.status), play.attempt, play.collected_head),
    }


def _confinement(meta: Any) -> str | None:
    sentence = meta.get("confinement") if isinstance(meta, dict) else None
    return sentence if isinstance(sentence, str) else None


def _changed_files(play: Play) -> int | None:
    """The number of files that the collected work of the play changes."""
    meta = dict_of(play.metadata.get("meta"))
    return to_int(meta.get("changed")) if meta.get("collected") == play.attempt else None


def _conflict(play: Play) -> list[str]:
    """The files in which the play conflicts with the integration branch; the next attempt resolves them."""
    conflict = dict_of(dict_of(play.metadata.get("meta")).get("conflict"))
    if conflict.get("attempt") not in (play.attempt, play.attempt - 1) or play.status is PlayStatus.MERGED:
        return []
    return [path for path in list_of(conflict.get("files")) if isinstance(path, str)]


def _left_out(meta: Any) -> dict[str, Any]:
    """The files of a play that are in no commit; the file may have been written by any program."""
    fields = meta if isinstance(meta, dict) else {}
    listed = fields.get("left_out")
    items = listed if isinstance(listed, list) else []
    texts = {name: fields.get(name) for name in ("left_out_dir", "checkout_kept")}
    return {
        "left_out": [
            {name: item[name] for name in ("path", "why", "detail") if isinstance(item.get(name), str)}
            for item in items
            if isinstance(item, dict) and isinstance(item.get("path"), str) and isinstance(item.get("why"), str)
        ],
        **{name: text if isinstance(text, str) else None for name, text in texts.items()},
    }


def show_summaries(conn: Connection, listed: Sequence[Show], now: float) -> list[dict[str, Any]]:
    """Shows of the database in a list; the number of statements does not depend on the number of shows."""
    ids = [show.id for show in listed]
    counts, running, deciding = play_counts(conn, ids), running_plays(conn, ids), plays_to_decide(conn, ids)
    used, waits = usage_by_show(conn, [show.topic for show in listed], now), dict[str, list[OpenWait]]()
    for wait in list_open_waits(conn):
        waits.setdefault(wait.topic, []).append(wait)
    return [
        _summary(show, counts.get(show.id, {}), deciding.get(show.id, ()), waits.get(show.topic, ()), now)
        | {"running_plays": running.get(show.id, []), "usage": used.get(show.topic, ShowUsage()).to_dict()}
        for show in listed
    ]


def _summary(
    show: Show, counts: Mapping[str, int], deciding: Sequence[Mapping[str, Any]], waits: Sequence[OpenWait], now: float
) -> dict[str, Any]:
    asked = {wait.play for wait in waits}
    asking = [{"name": name, "status": ""} for name in asked - {play["name"] for play in deciding} if name]
    return {
        "topic": show.topic,
        "path": show.show_dir,
        "goal": show.goal,
        "status": str(show.status),
        "status_source": "sqlite",
        "updated_at": show.updated_at,
        "plays_by_status": dict(counts),
        "state": show_state(show.to_dict(), [*deciding, *asking], now=now, asking=asked).to_dict(),
        "waits_for": waits_json(waits, deciding, now) if show.status is ShowStatus.ACTIVE else [],
        "error": None,
        **progress(counts),
    }


def summaries_from_folder(root: str, topics: set[str]) -> list[dict[str, Any]]:
    """The shows in a folder that the database does not have; an invalid one has an `error`."""
    try:
        paths = [path for path in find_shows(root) if os.path.basename(path) not in topics]
    except LionError:
        return []
    return [_folder_summary(path, root) for path in paths]


def _folder_summary(path: str, root: str) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "topic": os.path.basename(path),
        "path": path,
        "goal": None,
        "status": UNKNOWN,
        "status_source": "filesystem",
        "updated_at": None,
        "plays_by_status": {},
        "state": None,
        "error": None,
        "running_plays": [],
        **progress({}),
    }
    try:
        folder = read_show(path, root)
    except LionError as error:
        return entry | {"error": error.message}
    counts = Counter(str(play.meta.get("status") or UNKNOWN) for play in folder.plays)
    facts = {"goal": folder.plan.goal, "updated_at": folder.times.changed, "plays_by_status": counts}
    return entry | facts | progress(counts) | {"running_plays": _running(folder)}


def show_from_folder(root: str, topic: str) -> dict[str, Any]:
    """A show that is only on disk; NotFound otherwise."""
    path = os.path.join(root, topic)
    if not os.path.isdir(path) or not is_within(path, root):
        raise NotFound(f"show {topic!r:.100} does not exist", hint="li show ls")
    folder = read_show(path, root)
    actions = _folder_actions(folder)
    return {
        "topic": topic,
        "path": path,
        "show_md": read_plan_text(path, root),
        "goal": folder.plan.goal,
        "status": UNKNOWN,
        "status_source": "filesystem",
        "plays": [_folder_play(play, folder) for play in folder.plays],
        "critical_path": [],
        "blocked": {},
        "state": None,
        "edges": _folder_edges(folder),
        "actions": actions,
        "deeds": describe_show_actions(topic, actions, None),
        "error": None,
        "final_verdict": folder.final_verdict,
        "running_plays": _running(folder),
        "repo": folder.plan.repo,
        "base_branch": folder.plan.base_branch,
        "integration_branch": folder.plan.integration_branch,
        "updated_at": folder.times.changed,
        # the page reads these lists of every show
        "budget": [],
        "waits_for": [],
        "transitions": [],
        "machines": [],
        "by_workers": False,
        "directed": False,
        **progress(Counter(str(play.meta.get("status") or UNKNOWN) for play in folder.plays)),
    }


def _running(folder: ShowFolder) -> list[str]:
    return [play.name for play in folder.plays if play.meta.get("status") == "running"]


def _folder_actions(folder: ShowFolder) -> list[str]:
    """A planned show that never ran can be started; one that another program ran must be imported first."""
    began = has_begun([str(play.meta["status"]) for play in folder.plays if play.meta.get("status") is not None])
    return ["run"] if folder.plan.plays and not began else []


def _folder_edges(folder: ShowFolder) -> list[dict[str, str]]:
    names = {play.name for play in folder.plays}
    return [
        {"source": need, "target": play.name}
        for play in folder.plan.plays
        for need in play.depends_on or ()
        if need in names and play.name in names
    ]


def _folder_play(play: PlayFolder, show: ShowFolder) -> dict[str, Any]:
    planned = next((planned for planned in show.plan.plays if planned.name == play.name), None)
    return {
        "name": play.name,
        "meta": typed_meta(play.meta),
        "updated_at": play.times.changed,
        "verdict": None if play.verdict is None else typed_verdict(play.verdict),
        "depends_on": list(planned.depends_on or ()) if planned else [],
        "error": None if play.fault is None else play.fault.message,
        "badges": _folder_badges(play),
        **_left_out(play.meta),
        "actions": [],
        "deeds": [],
        "duration_ms": None,
        "blocked_by": [],
    }


def _folder_badges(play: PlayFolder) -> list[dict[str, str]]:
    if not isinstance(play.meta.get("status"), str):
        return []
    passed = (play.verdict or {}).get("gate_passed")
    row = {"status": play.meta["status"], "gate_passed": passed if isinstance(passed, bool) else None}
    return [badge._asdict() for badge in play_badges(row)]


def read_plan_text(path: str, root: str) -> str | None:
    """The text of `_show.md`, None when it cannot be read."""
    return read_text_or_error(os.path.join(path, PLAN), root)[0]


def read_text_or_error(path: str, root: str) -> tuple[str | None, str | None]:
    """(text, error) of a file below a root; both are None for a file that does not exist."""
    if not os.path.lexists(path):
        return None, None
    try:
        return read_text(path, most=MOST_BYTES, root=root), None
    except LionError as error:
        return None, error.message
