"""The file and the row of a play or show, written together: the file first, so that each alone is enough to resume.

A step that is repeated after a crash writes the same again; an illegal transition is refused before anything is
written. The director and its commands write from several threads, one at a time for each show, because a file is
read, changed and written back. `recovery.py` brings file and row together when a show is resumed.
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
from lionstudio.files.shows.show_folder import MOST_BYTES, MOST_GOAL
from lionstudio.model.import_ids import IMPORTED
from lionstudio.model.json_codec import dump
from lionstudio.model.redaction.process import redactor
from lionstudio.model.shows.decisions import ReasonCode
from lionstudio.model.shows.plan import Plan, PlannedPlay, play_branch
from lionstudio.model.shows.play_codec import COLUMNS, Meta, meta_from_play, play_from_meta, typed_verdict, with_key
from lionstudio.model.shows.show import TEAM, Play, Show
from lionstudio.model.shows.show_files import ABORT, DECISION, FINAL_VERDICT, INTENT, META, PLAN, VERDICT
from lionstudio.model.shows.show_files import FINAL_GATES as FINAL_GATES_FILE
from lionstudio.model.status.reasons import FINAL_GATES
from lionstudio.model.status.statuses import (
    PLAY_TRANSITIONS,
    PLAYS,
    SHOW_TRANSITIONS,
    PlayStatus,
    ShowStatus,
    check_transition,
    parse,
)
from lionstudio.model.status.transitions import ChangedBy
from lionstudio.shows.director.state import Transition
from lionstudio.shows.records.answers import take_decision
from lionstudio.shows.records.decisions import find_decision
from lionstudio.shows.records.meta_schema import check_meta
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.sessions import find_session
from lionstudio.state.shows import (
    delete_play,
    find_play,
    find_show,
    find_show_id,
    get_show,
    list_plays,
    put_show,
    sync_play,
    transition_show,
)
from lionstudio.state.transitions import process_actor
from lionstudio.system.atomic_write import make_folder, sync_folder, write_text
from lionstudio.system.json_read import find_object, read_object
from lionstudio.system.safe_read import is_within, list_folder

_REMOVABLE = frozenset(status for status, row in PLAYS.items() if row.can_be_removed)

_P = ParamSpec("_P")
_R = TypeVar("_R")
_locks: dict[str, threading.RLock] = {}  # by show; the director's lock keeps other processes out


def _show_lock(work: Callable[Concatenate[str, _P], _R]) -> Callable[Concatenate[str, _P], _R]:
    """Hold the lock of a show from the read of its files to the write of its rows."""

    @wraps(work)
    def locked(show_dir: str, /, *args: _P.args, **named: _P.kwargs) -> _R:
        with _locks.setdefault(os.path.abspath(show_dir), threading.RLock()):
            return work(show_dir, *args, **named)

    return locked


@_show_lock
def save_show(show_dir: str, /, database: Database, plan: Plan, text: str | None = None, **metadata: Any) -> Show:
    """Write `_show.md` (when a text is given) and `_meta.json` of each play, then the rows.

    The row keeps a copy of the text; `metadata` is merged into the row's. After an edit of the plan it adds the new
    plays and deletes those that were removed before they started.
    """
    if database.rows_win:
        return _save_show_rows(show_dir, database, plan, text, metadata)
    if text is not None:
        write_text(os.path.join(show_dir, PLAN), text)
    removed = _remove_unstarted(show_dir, plan)
    metas = [(play.name, _save_planned_meta(show_dir, plan, play), n) for n, play in enumerate(plan.plays)]
    # started plays that an edit removed from the plan come last, as in show_sync
    others = [(name, meta) for name, meta in _read_metas(show_dir).items() if name not in plan]
    metas += [(name, meta, len(plan.plays) + n) for n, (name, meta) in enumerate(others)]
    point("show.plan_written")

    def work(conn: Connection) -> Show:
        show = _put_show(conn, show_dir, plan, text, metadata)
        for name in removed:
            delete_play(conn, show.id, name)
        for name, meta, number in metas:
            save_row(conn, show_dir, name, meta, sort_order=number)
        return show

    return database.write(work)


def _save_show_rows(show_dir: str, database: Database, plan: Plan, text: str | None, metadata: Meta) -> Show:
    """As save_show, where the rows are the truth: the files are written after them."""

    def work(conn: Connection) -> tuple[Show, dict[str, Meta]]:
        show = _put_show(conn, show_dir, plan, text, metadata)
        rows = {play.name: play for play in list_plays(conn, show.id)}
        metas = {}
        for number, play in enumerate(plan.plays):
            before = meta_from_play(rows[play.name]) if play.name in rows else None
            metas[play.name] = _planned_meta(plan, play, before)
            if metas[play.name] != before or rows[play.name].sort_order != number:
                save_row(conn, show_dir, play.name, metas[play.name], sort_order=number, verdict=None)
        for name, row in rows.items():
            if name not in plan and row.status in _REMOVABLE:
                delete_play(conn, show.id, name)
        return show, metas

    show, metas = database.write(work)
    if text is not None:
        write_text(os.path.join(show_dir, PLAN), text)
    _remove_unstarted(show_dir, plan)
    for play in plan.plays:
        if metas[play.name] != _find_meta(show_dir, play.name):
            write_meta(show_dir, play.name, metas[play.name])
        _write_intent(show_dir, play)
    return show


@_show_lock
def update_show(show_dir: str, /, database: Database, **metadata: Any) -> Show:
    """Merge facts into the row of a show; None removes one."""

    return database.write(lambda conn: put_facts(conn, os.path.basename(show_dir), **metadata))


def put_facts(conn: Connection, topic: str, **metadata: Any) -> Show:
    """Merge facts into the row of a show, in a transaction of the caller."""
    show = get_show(conn, topic)
    merged = {name: value for name, value in {**show.metadata, **metadata}.items() if value is not None}
    return show if merged == show.metadata else put_show(conn, replace(show, metadata=merged, updated_at=time.time()))


def _put_show(conn: Connection, show_dir: str, plan: Plan, text: str | None, metadata: Meta) -> Show:
    row = find_show(conn, plan.topic)
    base = row or Show(topic=plan.topic, show_dir=show_dir, status_source="sqlite")
    merged = {**base.metadata, **({"plan": text} if text is not None else {}), **metadata}
    wanted = replace(
        base,
        show_dir=base.show_dir if TEAM in merged else show_dir,
        goal=plan.goal[:MOST_GOAL] if plan.goal else base.goal,
        repo=plan.repo or base.repo,
        base_branch=plan.base_branch or base.base_branch,
        integration_branch=plan.integration_branch,
        metadata={name: value for name, value in merged.items() if value is not None},
    )
    return row if row is not None and wanted == row else put_show(conn, replace(wanted, updated_at=time.time()))


def _save_planned_meta(show_dir: str, plan: Plan, play: PlannedPlay) -> Meta:
    """Update `_meta.json` with the plan of a play, where it differs."""
    before = read_meta(show_dir, play.name)
    meta = _planned_meta(plan, play, before)
    if meta != before:
        write_meta(show_dir, play.name, meta)
    _write_intent(show_dir, play)
    return meta


def _planned_meta(plan: Plan, play: PlannedPlay, before: Meta | None) -> Meta:
    defaults: Meta = {"status": str(PlayStatus.PENDING), "attempt": 1, "branch": play_branch(plan.topic, play.name)}
    planned = {"playbook": play.playbook, "effort": play.effort, "depends_on": list(play.depends_on)}
    known = {name: value for name, value in (before or {}).items() if value is not None or name not in defaults}
    return {**defaults, **known, **planned}


def _write_intent(show_dir: str, play: PlannedPlay) -> None:
    intent = os.path.join(show_dir, play.name, INTENT)
    if play.intent and not os.path.lexists(intent):
        write_text(intent, play.intent.rstrip() + "\n")


def _remove_unstarted(show_dir: str, plan: Plan) -> list[str]:
    """Remove the plays that left the plan before they started; a folder with other files stays."""
    removed = []
    for name, meta in _read_metas(show_dir).items():
        if name in plan or meta.get("status") not in _REMOVABLE:
            continue
        os.unlink(os.path.join(show_dir, name, META))
        with suppress(OSError):
            os.rmdir(os.path.join(show_dir, name))
        removed.append(name)
    return removed


def _read_metas(show_dir: str) -> dict[str, Meta]:
    """Read `_meta.json` of every play folder; unusable ones are skipped."""
    metas = {}
    for item in list_folder(show_dir):
        if item.folder and not item.link:
            with suppress(LionError):
                metas[item.name] = read_meta(show_dir, item.name)
    return {name: meta for name, meta in metas.items() if meta is not None}


@_show_lock
def save_play(
    show_dir: str, /, database: Database, play: str, status: PlayStatus | None = None, **changes: Any
) -> Play:
    """Write `_meta.json`, then the row.

    Names of columns change them, other names go to the metadata, and None removes one. A `session_id` is linked as
    soon as its row exists. A new attempt keeps the meta of the last one in its folder.
    """
    if database.rows_win:
        return _save_play_row(show_dir, database, play, status, changes)
    before = read_meta(show_dir, play) or find_meta_of_row(database, show_dir, play)
    meta = _changed(play, before or {}, status, changes)
    if before is not None and before.get("attempt") != meta["attempt"]:
        _archive(show_dir, play, before, "meta.json")
    if meta != before or not os.path.lexists(os.path.join(show_dir, play, META)):
        write_meta(show_dir, play, meta)
    point("show.play_written")
    return database.write(lambda conn: save_row(conn, show_dir, play, meta))


def _save_play_row(
    show_dir: str, database: Database, play: str, status: PlayStatus | None, changes: Meta, verdict: Meta | None = None
) -> Play:
    """As save_play, where the row is the truth: it is read, changed and written in one transaction, then the file."""

    def work(conn: Connection) -> tuple[Meta | None, Meta, Play]:
        before = _meta_in_row(conn, show_dir, play)
        meta = _changed(play, before or {}, status, changes)
        return before, meta, save_row(conn, show_dir, play, meta, verdict=verdict)

    before, meta, row = database.write(work)
    point("show.play_written")
    if before is not None and before.get("attempt") != meta["attempt"]:
        _archive(show_dir, play, before, "meta.json")
    write_meta(show_dir, play, meta)
    return row


def _changed(play: str, before: Meta, status: PlayStatus | None, changes: Meta) -> Meta:
    old = parse(PlayStatus, before.get("status", PlayStatus.PENDING), "play status")
    new = old if status is None else parse(PlayStatus, status, "play status")
    if new is not old:
        check_transition(PLAY_TRANSITIONS, old, new, f"play {play}")
    meta = {"attempt": 1, **before, **changes, "status": str(new)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in meta.items()
        if value is not None or name in COLUMNS
    }


def save_transition(show_dir: str, database: Database, play: str, transition: Transition, **changes: Any) -> Play:
    """Write a transition of the director to file and row."""
    decided = {
        "attempt": transition.attempt,
        "reason": transition.reason,
        "reason_code": transition.reason_code,
        "approved": transition.approved or None,
        "anyway": transition.anyway or None,
        "force": transition.force or None,
        "parked_until": transition.parked_until,
        "blocked_by": transition.blocked_by or None,
    }
    if transition.allowed is not None:
        decided["allowed"] = transition.allowed
    return save_play(show_dir, database, play, transition.status, **{**decided, **changes})


@_show_lock
def save_verdict(
    show_dir: str, /, database: Database, play: str, verdict: Mapping[str, Any], status: PlayStatus, **changes: Any
) -> Play:
    """Write `_verdict.json`, also to the folder of the attempt, then as save_play."""
    if database.rows_win:
        return _save_verdict_row(show_dir, database, play, verdict, status, changes)
    attempt = (read_meta(show_dir, play) or {}).get("attempt", 1)
    record = {"attempt": attempt, **verdict}
    _archive(show_dir, play, record, "verdict.json")
    write_json(path_inside(show_dir, play, VERDICT), record)
    point("show.verdict_written")
    return save_play(show_dir, database, play, status, **changes)


def _save_verdict_row(
    show_dir: str, database: Database, play: str, verdict: Mapping[str, Any], status: PlayStatus, changes: Meta
) -> Play:
    before = find_meta_of_row(database, show_dir, play) or {}
    record: Meta = redactor().record({"attempt": before.get("attempt", 1), **verdict})
    row = _save_play_row(show_dir, database, play, status, changes, record)
    _archive(show_dir, play, record, "verdict.json")
    write_json(path_inside(show_dir, play, VERDICT), record)
    return row


def save_final_gates(show_dir: str, database: Database, gates: Mapping[str, Any]) -> None:
    """Save the verdict of the final gates until the show ends: a person may decide last."""
    if database.rows_win:
        update_show(show_dir, database, final_gates=redactor().record(dict(gates)))
    write_json(os.path.join(show_dir, FINAL_GATES_FILE), gates)


def find_final_gates(show_dir: str, database: Database) -> Meta | None:
    if database.rows_win:
        return database.read(lambda conn: get_show(conn, os.path.basename(show_dir))).metadata.get("final_gates")
    return find_object(os.path.join(show_dir, FINAL_GATES_FILE))


def forget_final_gates(show_dir: str, database: Database) -> None:
    if database.rows_win:
        update_show(show_dir, database, final_gates=None)
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(show_dir, FINAL_GATES_FILE))


def save_final_verdict(
    show_dir: str, database: Database, verdict: Mapping[str, Any] | None, status: ShowStatus
) -> Show:
    """Write `_final_verdict.json` (`show_passed`, and the plays that are not merged), if any, then the row."""
    final = None
    if verdict is not None:
        statuses = {name: str(meta.get("status")) for name, meta in _read_metas(show_dir).items()}
        left_out = {name: status for name, status in statuses.items() if status != PlayStatus.MERGED}
        final = {**verdict, "left_out": left_out}
        write_json(os.path.join(show_dir, FINAL_VERDICT), final)
    point("show.final_written")
    return _save_show_status(show_dir, database, status, final)


@_show_lock
def reopen_show(show_dir: str, /, database: Database) -> Show:
    """Reopen an ended show: archive its final verdict, remove `_ABORT` and the last decision, set the row active.

    Plays that the abort stopped run again; plays that a person rejected stay rejected.
    """
    final = os.path.join(show_dir, FINAL_VERDICT)
    if os.path.lexists(final):
        os.replace(final, os.path.join(show_dir, f"_final_verdict.{int(os.lstat(final).st_mtime)}.json"))
    for name in (ABORT, DECISION):  # both are about the end that is undone
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(show_dir, name))
    sync_folder(show_dir)
    point("show.reopened")
    for play, meta in _read_metas(show_dir).items():
        if meta.get("status") == PlayStatus.ABORTED_AFTER_FINISH and _was_aborted(meta):
            attempt = int(meta.get("attempt", 1)) + 1
            reason = "the show was aborted during the last attempt"
            redo = Transition(status=PlayStatus.REDOING, attempt=attempt, allowed=attempt, reason=reason)
            save_transition(show_dir, database, play, redo)
    return _save_show_status(show_dir, database, ShowStatus.ACTIVE, None)


_ABORTED_0_1 = "the show was aborted"  # version 0.1 stored this reason in place of a code


def _was_aborted(meta: Meta) -> bool:
    """Return whether an abort of the show ended the play, rather than a rejection by a person."""
    code = meta.get("reason_code")
    return bool(code == ReasonCode.SHOW_ABORTED if code is not None else meta.get("reason") == _ABORTED_0_1)


def _save_show_status(show_dir: str, database: Database, status: ShowStatus, verdict: Mapping[str, Any] | None) -> Show:
    topic = os.path.basename(show_dir)

    def work(conn: Connection) -> Show:
        show = get_show(conn, topic)
        if show.status is not status:
            by = _changed_by(show_dir, None, show.updated_at)
            if status not in SHOW_TRANSITIONS[show.status]:
                # an import may have recorded another end before the director did
                transition_show(conn, topic, ShowStatus.ACTIVE, by=by)
            rejected = status is ShowStatus.ABORTED and (verdict or {}).get("gate_passed") is False
            transition_show(conn, topic, status, by=by, reason=FINAL_GATES if rejected else None)
            show = get_show(conn, topic)
        rest = {name: value for name, value in show.metadata.items() if name != "final_verdict"}
        metadata = {**rest, "final_verdict": dict(verdict)} if verdict is not None else rest
        wanted = replace(show, status_source="sqlite", metadata=metadata)
        return show if wanted == show else put_show(conn, replace(wanted, updated_at=time.time()))

    return database.write(work)


_FROM_FILE: Meta = {}


def save_row(
    conn: Connection,
    show_dir: str,
    name: str,
    meta: Meta,
    *,
    sort_order: int | None = None,
    verdict: Meta | None = _FROM_FILE,
) -> Play:
    """Write the row of a play as its files have it; nothing is written where it is equal.

    A verdict that is given is stored whole; with None, the row keeps the one that it has.
    """
    topic = os.path.basename(show_dir)
    show_id = find_show_id(conn, topic)
    if show_id is None:
        show_id = put_show(conn, Show(topic=topic, show_dir=show_dir, status_source="sqlite")).id
    row = find_play(conn, show_id, name)
    base = row or Play(show_id=show_id, name=name, sort_order=len(list_plays(conn, show_id)))
    if IMPORTED in base.metadata:  # of another database: from now on it is ours, and nothing else of it counts
        base = Play(id=base.id, created_at=base.created_at, show_id=show_id, name=name, sort_order=base.sort_order)
    session_id = meta.get("session_id")
    has_session = isinstance(session_id, str) and find_session(conn, session_id) is not None
    # our own file is complete: a column that it does not have is empty
    empty: Meta = dict.fromkeys(COLUMNS)
    judged = _find_verdict(show_dir, name) if verdict is _FROM_FILE else verdict
    if verdict is not None and verdict is not _FROM_FILE:
        base = replace(base, metadata=with_key(base.metadata, "verdict", verdict))
    wanted = replace(
        play_from_meta(replace(base, **empty), meta, judged),
        session_id=session_id if has_session else base.session_id,
        sort_order=base.sort_order if sort_order is None else sort_order,
    )
    if row is not None and wanted == row:
        return row
    by = _changed_by(show_dir, name, row.updated_at if row is not None else None)
    decided = meta.get("decision")
    if isinstance(decided, str) and (row is None or decided != _meta_of(row).get("decision")):
        take_decision(conn, show_dir, name, decided)  # before the status: a play that moves on withdraws its question
    return sync_play(conn, replace(wanted, updated_at=time.time()), row, via="file", by=by)


def _meta_of(play: Play) -> Meta:
    meta = play.metadata.get("meta")
    return meta if isinstance(meta, dict) else {}


def _changed_by(show_dir: str, play: str | None, last_change: float | None) -> ChangedBy:
    """The person whose decision is newer than the row, else the director."""
    decision = find_decision(show_dir, play)
    if decision is not None and decision.at is not None and last_change is not None and decision.at >= last_change:
        return ChangedBy("decision", decision.actor or process_actor())
    return ChangedBy("director", process_actor())


def _find_verdict(show_dir: str, play: str) -> Meta | None:
    try:
        verdict = _find(os.path.join(show_dir, play, VERDICT), show_dir)
        return None if verdict is None else typed_verdict(verdict)
    except LionError:
        return None  # not written by us: the row keeps the verdict before


def find_meta_of_row(database: Database, show_dir: str, name: str) -> Meta | None:
    """Return `_meta.json` of a play as its row remembers it."""

    return database.read(lambda conn: _meta_in_row(conn, show_dir, name))


def _find_row(conn: Connection, show_dir: str, name: str) -> Play | None:
    show_id = find_show_id(conn, os.path.basename(show_dir))
    return None if show_id is None else find_play(conn, show_id, name)


def _meta_in_row(conn: Connection, show_dir: str, name: str) -> Meta | None:
    play = _find_row(conn, show_dir, name)
    return None if play is None or IMPORTED in play.metadata else meta_from_play(play)


def find_verdict_of_row(database: Database, show_dir: str, name: str) -> Meta | None:
    """Return the last verdict on a play as its row remembers it."""

    def work(conn: Connection) -> Meta | None:
        play = _find_row(conn, show_dir, name)
        verdict = None if play is None else play.metadata.get("verdict")
        return verdict if isinstance(verdict, dict) else None

    return database.read(work)


def _find_meta(show_dir: str, play: str) -> Meta | None:
    with suppress(LionError):
        return read_meta(show_dir, play)
    return None


def read_meta(show_dir: str, play: str) -> Meta | None:
    """Read `_meta.json` of a play; refused when we cannot have written it."""
    meta = _find(path_inside(show_dir, play, META), show_dir)
    return None if meta is None else check_meta(meta, f"{play}/{META}")


def read_final_verdict(show_dir: str) -> Meta | None:
    return _find(os.path.join(show_dir, FINAL_VERDICT), show_dir)


def write_meta(show_dir: str, play: str, meta: Meta) -> None:
    write_json(path_inside(show_dir, play, META), meta)


def path_inside(show_dir: str, *names: str) -> str:
    """Return a path in a show folder; refused when a link leads out of it."""
    path = os.path.join(show_dir, *names)
    if os.path.islink(path) or not is_within(path, show_dir) or os.path.islink(os.path.join(show_dir, names[0])):
        raise InvalidInput(
            f"{os.path.join(*names)} is a symbolic link; show folders must not contain links", hint="remove the link"
        )
    return path


def write_json(path: str, value: Mapping[str, Any]) -> None:
    """Replace a JSON file, creating its folder if necessary."""
    dump(value, os.path.basename(path))  # refuses what the row could not store
    make_folder(os.path.dirname(path))
    write_text(path, json.dumps(redactor().record(value), indent=1, ensure_ascii=True) + "\n")


def _archive(show_dir: str, play: str, value: Meta, name: str) -> None:
    """Copy a file to the folder of its attempt, to compare attempts; nothing depends on it."""
    with suppress(InvalidInput):
        write_json(path_inside(show_dir, play, "attempts", str(value.get("attempt", 1)), name), value)


def _find(path: str, root: str) -> Meta | None:
    return read_object(path, most=MOST_BYTES, root=root) if os.path.lexists(path) else None
