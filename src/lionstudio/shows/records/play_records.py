"""Both halves of a show at every step: the file first, then the row, so that each alone is enough to go on.

A step that is repeated after a crash writes the same again; a move that the table of statuses does not have is refused
before anything is written. The director and its works write from threads of their own, one at a time for each show,
because a file is read, changed and written back. `joining.py` brings the two together when a show is taken up again.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from lionstudio.crash import point
from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.shows.show_folder import ABORT, FINAL_VERDICT, META, MOST_BYTES, MOST_GOAL, PLAN, VERDICT
from lionstudio.model.json_codec import dump, visible
from lionstudio.model.shows.plan import Plan, PlannedPlay, play_branch
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import (
    PLAY_TRANSITIONS,
    PLAYS,
    SHOW_TRANSITIONS,
    PlayStatus,
    ShowStatus,
    check_transition,
    parse,
)
from lionstudio.shows.director.events import ABORTED, Transition
from lionstudio.shows.records.decisions import DECISION
from lionstudio.shows.records.meta_schema import check_meta
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.sessions import find_session
from lionstudio.state.shows import delete_play, find_play, find_show, get_show, list_plays, put_play, put_show
from lionstudio.system.atomic_write import make_folder, sync_folder, write_text
from lionstudio.system.json_read import read_object
from lionstudio.system.safe_read import is_within, list_folder

INTENT = "_intent.md"
# Keys of _meta.json that are columns; all others are kept in the row's metadata under `meta`, as import-shows does.
COLUMNS = ("worktree", "branch", "started_at", "ended_at", "exit_code", "merged_at", "merge_sha", "effort", "playbook")
_IN_ROW = frozenset({*COLUMNS, "status", "attempt", "depends_on"})
_REMOVABLE = frozenset(status for status, row in PLAYS.items() if row.can_be_removed)

_GOES_ON = "the show was aborted while it was at work, and goes on now"

Meta = dict[str, Any]
_P = ParamSpec("_P")
_R = TypeVar("_R")
_locks: dict[str, threading.RLock] = {}  # by show; other processes are kept out by the director's lock


def _show_lock(work: Callable[Concatenate[str, _P], _R]) -> Callable[Concatenate[str, _P], _R]:
    """Have a show to oneself from the reading of its files to the writing of its rows."""

    @wraps(work)
    def guarded(show_dir: str, /, *args: _P.args, **named: _P.kwargs) -> _R:
        with _locks.setdefault(os.path.abspath(show_dir), threading.RLock()):
            return work(show_dir, *args, **named)

    return guarded


@_show_lock
def save_show(show_dir: str, /, database: Database, plan: Plan, text: str | None = None, **metadata: Any) -> Show:
    """Step 0: `_show.md` (when a text is given) and a `_meta.json` for each play, then the rows.

    The row keeps a copy of the text; `metadata` is merged into the row's. Said again after the plan was edited, it
    adds the new plays and forgets those that are gone and never began.
    """
    if text is not None:
        write_text(os.path.join(show_dir, PLAN), text)
    gone = _forget_files(show_dir, plan)
    metas = [(play.name, _planned_meta(show_dir, plan, play), number) for number, play in enumerate(plan.plays)]
    metas += _left_over(show_dir, plan)
    point("show.plan_written")

    def work(conn: Connection) -> Show:
        show = _put_show(conn, show_dir, plan, text, metadata)
        for name in gone:
            delete_play(conn, show.id, name)
        for name, meta, number in metas:
            put_row(conn, show_dir, name, meta, sort_order=number)
        return show

    return database.write(work)


def _put_show(conn: Connection, show_dir: str, plan: Plan, text: str | None, metadata: Meta) -> Show:
    here = find_show(conn, plan.topic)
    base = here or Show(topic=plan.topic, show_dir=show_dir, status_source="sqlite")
    kept = {**base.metadata, **({"plan": text} if text is not None else {}), **metadata}
    wanted = replace(
        base,
        show_dir=show_dir,
        goal=plan.goal[:MOST_GOAL] if plan.goal else base.goal,
        repo=plan.repo or base.repo,
        base_branch=plan.base_branch or base.base_branch,
        integration_branch=plan.integration_branch,
        metadata={name: value for name, value in kept.items() if value is not None},
    )
    return here if here is not None and wanted == here else put_show(conn, replace(wanted, updated_at=time.time()))


def _planned_meta(show_dir: str, plan: Plan, play: PlannedPlay) -> Meta:
    """What is known of a play with what the plan says of it now, written where it differs."""
    before = read_meta(show_dir, play.name)
    usual: Meta = {"status": str(PlayStatus.PENDING), "attempt": 1, "branch": play_branch(plan.topic, play.name)}
    said = {"playbook": play.playbook, "effort": play.effort, "depends_on": list(play.depends_on)}
    meta = {**usual, **(before or {}), **said}
    if meta != before:
        write_meta(show_dir, play.name, meta)
    intent = os.path.join(show_dir, play.name, INTENT)
    if play.intent and not os.path.lexists(intent):
        write_text(intent, play.intent.rstrip() + "\n")
    return meta


def _forget_files(show_dir: str, plan: Plan) -> list[str]:
    """The plays that left the plan before they began; their folders go unless somebody put something there."""
    found = []
    for name, meta in _metas(show_dir).items():
        if name in plan.names or meta.get("status") not in _REMOVABLE:
            continue
        os.unlink(os.path.join(show_dir, name, META))
        with suppress(OSError):
            os.rmdir(os.path.join(show_dir, name))
        found.append(name)
    return found


def _left_over(show_dir: str, plan: Plan) -> list[tuple[str, Meta, int]]:
    """The plays that left the plan after they had begun: they come last, as import-shows has them."""
    return [
        (name, meta, len(plan.plays) + number)
        for number, (name, meta) in enumerate(_metas(show_dir).items())
        if name not in plan.names
    ]


def _metas(show_dir: str) -> dict[str, Meta]:
    """All that is a play by its folder; a folder that cannot be believed is none."""
    found = {}
    for item in list_folder(show_dir):
        if item.folder and not item.link:
            with suppress(LionError):
                found[item.name] = read_meta(show_dir, item.name)
    return {name: meta for name, meta in found.items() if meta is not None}


@_show_lock
def save_play(
    show_dir: str, /, database: Database, play: str, status: PlayStatus | None = None, **changes: Any
) -> Play:
    """Steps 2, 3 and 5: `_meta.json`, then the row.

    Names of columns change them, other names go to the metadata and None removes one. A `session_id` is linked as
    soon as its row exists. A new attempt leaves the meta of the last one in its folder.
    """
    before = read_meta(show_dir, play) or meta_in_row(database, show_dir, play)
    meta = _changed(play, before or {}, status, changes)
    if before is not None and before.get("attempt") != meta["attempt"]:
        _keep(show_dir, play, before, "meta.json")
    if meta != before or not os.path.lexists(os.path.join(show_dir, play, META)):
        write_meta(show_dir, play, meta)
    point("show.play_written")
    return database.write(lambda conn: put_row(conn, show_dir, play, meta))


def _changed(play: str, before: Meta, status: PlayStatus | None, changes: Meta) -> Meta:
    old = parse(PlayStatus, before.get("status", PlayStatus.PENDING), "play status")
    new = old if status is None else parse(PlayStatus, status, "play status")
    if new is not old:
        check_transition(PLAY_TRANSITIONS, old, new, f"play {play}")
    given = {"attempt": 1, **before, **changes, "status": str(new)}
    return {name: _plain(value) for name, value in given.items() if value is not None or name in COLUMNS}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def save_transition(show_dir: str, database: Database, play: str, following: Transition, **changes: Any) -> Play:
    """What a rule of the director decided, in both halves."""
    decided = {
        "attempt": following.attempt,
        "reason": following.reason,
        "approved": following.approved or None,
        "anyway": following.anyway or None,
        "parked_until": following.parked_until,
        "blocked_by": following.blocked_by or None,
    }
    if following.allowed is not None:
        decided["allowed"] = following.allowed
    return save_play(show_dir, database, play, following.status, **{**decided, **changes})


@_show_lock
def save_verdict(
    show_dir: str, /, database: Database, play: str, verdict: Mapping[str, Any], status: PlayStatus, **changes: Any
) -> Play:
    """Step 4: `_verdict.json` (with `gate_passed` and `feedback`) here and in the attempt, then as record_play."""
    attempt = (read_meta(show_dir, play) or {}).get("attempt", 1)
    given = {"attempt": attempt, **verdict}
    _keep(show_dir, play, given, "verdict.json")
    write_json(inside(show_dir, play, VERDICT), given)
    point("show.verdict_written")
    return save_play(show_dir, database, play, status, **changes)


def save_final_verdict(
    show_dir: str, database: Database, verdict: Mapping[str, Any] | None, status: ShowStatus
) -> Show:
    """Step 7: `_final_verdict.json` (with `show_passed`, and what is not merged) where there is one, then the row."""
    final = None if verdict is None else {**verdict, "left_out": _left_out(show_dir)}
    if final is not None:
        write_json(os.path.join(show_dir, FINAL_VERDICT), final)
    point("show.final_written")
    return _move_show(show_dir, database, status, final)


def _left_out(show_dir: str) -> dict[str, str]:
    """The plays that are not in what the verdict is about, with where they stand."""
    found = {name: str(meta.get("status")) for name, meta in _metas(show_dir).items()}
    return {name: status for name, status in found.items() if status != PlayStatus.MERGED}


@_show_lock
def reopen_show(show_dir: str, /, database: Database) -> Show:
    """Take an ended show up again: its final verdict is put aside, `_ABORT` and the last word go, the row is active.

    What the abort had stopped is done again; what a person gave up stays given up.
    """
    final = os.path.join(show_dir, FINAL_VERDICT)
    if os.path.lexists(final):
        os.replace(final, os.path.join(show_dir, f"_final_verdict.{int(os.lstat(final).st_mtime)}.json"))
    for name in (ABORT, DECISION):  # what a person said about the end that is no more
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(show_dir, name))
    sync_folder(show_dir)
    point("show.reopened")
    for play, meta in _metas(show_dir).items():
        if meta.get("status") == PlayStatus.ABORTED_AFTER_FINISH and meta.get("reason") == ABORTED:
            number = int(meta.get("attempt", 1)) + 1
            following = Transition(status=PlayStatus.REDOING, attempt=number, allowed=number, reason=_GOES_ON)
            save_transition(show_dir, database, play, following)
    return _move_show(show_dir, database, ShowStatus.ACTIVE, None)


def _move_show(show_dir: str, database: Database, status: ShowStatus, verdict: Mapping[str, Any] | None) -> Show:
    topic = os.path.basename(show_dir)

    def work(conn: Connection) -> Show:
        show = get_show(conn, topic)
        _check_show_moves(show, status)
        rest = {name: value for name, value in show.metadata.items() if name != "final_verdict"}
        metadata = {**rest, "final_verdict": dict(verdict)} if verdict is not None else rest
        wanted = replace(show, status=status, status_source="sqlite", metadata=metadata)
        return show if wanted == show else put_show(conn, replace(wanted, updated_at=time.time()))

    return database.write(work)


def _check_show_moves(show: Show, status: ShowStatus) -> None:
    """From one end to the other the way leads over active: an import may have told the end before the director did."""
    here = show.status
    if here is not status and status not in SHOW_TRANSITIONS[here]:
        check_transition(SHOW_TRANSITIONS, here, ShowStatus.ACTIVE, f"show {show.topic}")
        here = ShowStatus.ACTIVE
    if here is not status:
        check_transition(SHOW_TRANSITIONS, here, status, f"show {show.topic}")


def put_row(conn: Connection, show_dir: str, name: str, meta: Meta, *, sort_order: int | None = None) -> Play:
    """The row of a play as its files have it; nothing is written where it says that already."""
    topic = os.path.basename(show_dir)
    show = find_show(conn, topic) or put_show(conn, Show(topic=topic, show_dir=show_dir, status_source="sqlite"))
    here = find_play(conn, show.id, name)
    base = here or Play(show_id=show.id, name=name, sort_order=len(list_plays(conn, show.id)))
    session = meta.get("session_id")
    known = session if isinstance(session, str) and find_session(conn, session) is not None else base.session_id
    wanted = replace(
        base,
        status=parse(PlayStatus, meta.get("status"), "play status"),
        attempt=meta.get("attempt", 1),
        depends_on=tuple(meta.get("depends_on") or ()),
        session_id=known,
        sort_order=base.sort_order if sort_order is None else sort_order,
        metadata=_metadata(base, meta),
        **{column: _text(meta.get(column)) for column in COLUMNS},
        **_gate_columns(show_dir, name),
    )
    return here if here is not None and wanted == here else put_play(conn, replace(wanted, updated_at=time.time()))


def _metadata(base: Play, meta: Meta) -> Meta:
    rest = {name: value for name, value in meta.items() if name not in _IN_ROW and value is not None}
    kept = {name: value for name, value in base.metadata.items() if name != "meta"}
    return {**kept, "meta": rest} if rest else kept


def _text(value: Any) -> Any:
    return visible(value) if isinstance(value, str) else value


def _gate_columns(show_dir: str, play: str) -> Meta:
    try:
        verdict = _read(os.path.join(show_dir, play, VERDICT), show_dir)
    except LionError:
        return {}  # somebody else's: the row keeps what the last gate said
    if verdict is None:
        return {}
    passed, feedback = verdict.get("gate_passed"), verdict.get("feedback")
    return {
        "gate_passed": passed if isinstance(passed, bool) else None,
        "gate_feedback": visible(feedback) if isinstance(feedback, str) and feedback else None,
    }


def meta_in_row(database: Database, show_dir: str, name: str) -> Meta | None:
    """`_meta.json` of a play as its row remembers it, None when there is no row."""

    def work(conn: Connection) -> Meta | None:
        show = find_show(conn, os.path.basename(show_dir))
        play = find_play(conn, show.id, name) if show is not None else None
        return None if play is None else meta_of(play)

    return database.read(work)


def meta_of(play: Play) -> Meta:
    """`_meta.json` as a row remembers it."""
    rest = play.metadata.get("meta")
    columns = {column: getattr(play, column) for column in COLUMNS}
    said: Meta = {"status": str(play.status), "attempt": play.attempt, "depends_on": list(play.depends_on)}
    if play.session_id is not None:
        said["session_id"] = play.session_id
    return {**said, **columns, **(rest if isinstance(rest, dict) else {})}


def read_meta(show_dir: str, play: str) -> Meta | None:
    """`_meta.json` of a play, None when there is none; one that we cannot have written is refused."""
    found = _read(inside(show_dir, play, META), show_dir)
    return None if found is None else check_meta(found, f"{play}/{META}")


def read_final(show_dir: str) -> Meta | None:
    """`_final_verdict.json` of a show, None when there is none."""
    return _read(os.path.join(show_dir, FINAL_VERDICT), show_dir)


def write_meta(show_dir: str, play: str, meta: Meta) -> None:
    """Replace `_meta.json` of a play."""
    write_json(inside(show_dir, play, META), meta)


def inside(show_dir: str, *names: str) -> str:
    """A path in a show's folder; refused when a link leads elsewhere from there."""
    path = os.path.join(show_dir, *names)
    if os.path.islink(path) or not is_within(path, show_dir) or os.path.islink(os.path.join(show_dir, names[0])):
        raise InvalidInput(
            f"{os.path.join(*names)} is a symbolic link, and nothing of a show lies behind one", hint="remove the link"
        )
    return path


def write_json(path: str, value: Mapping[str, Any]) -> None:
    """Replace a JSON file of ours, or make it with its folder."""
    dump(value, os.path.basename(path))  # refuses what the row could not keep either
    make_folder(os.path.dirname(path))
    write_text(path, json.dumps(value, indent=1, ensure_ascii=True) + "\n")


def _keep(show_dir: str, play: str, value: Meta, name: str) -> None:
    """A copy in the folder of its attempt, so that attempts can be compared; nothing depends on it."""
    with suppress(InvalidInput):
        write_json(inside(show_dir, play, "attempts", str(value.get("attempt", 1)), name), value)


def _read(path: str, root: str) -> Meta | None:
    return read_object(path, most=MOST_BYTES, root=root) if os.path.lexists(path) else None
