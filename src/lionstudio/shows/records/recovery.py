"""Recovery of a show that is resumed: from the files where they exist, from the rows where they are gone.

A file is written before its row, so where both exist the file is right.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.errors import NotFound
from lionstudio.files.shows.plan_reader import load_plan, read_plan
from lionstudio.model.import_ids import IMPORTED
from lionstudio.model.shows.plan import Plan
from lionstudio.model.shows.play_codec import meta_from_play
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.shows.show_files import ABORT, FINAL_VERDICT, PLAN, VERDICT
from lionstudio.model.status.statuses import PlayStatus, ShowStatus, parse
from lionstudio.shows.director.state import PlayState
from lionstudio.shows.records.play_records import (
    read_final_verdict,
    read_meta,
    reopen_show,
    save_final_verdict,
    save_show,
    write_json,
    write_meta,
)
from lionstudio.shows.records.repair import repair
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.shows import find_show, get_show, list_plays
from lionstudio.system.atomic_write import write_text
from lionstudio.system.safe_read import read_text


class RecoveredShow(NamedTuple):
    """A show whose files and rows agree."""

    plan: Plan
    show: Show
    plays: dict[str, PlayState]


def restore_plan(show_dir: str, database: Database) -> Mapping[str, Any]:
    """Write the files again if the plan is gone; return the facts in the row. NotFound when neither has a plan."""
    show, plays = database.read(lambda conn: _rows(conn, os.path.abspath(show_dir), database.rows_win))
    if not os.path.lexists(os.path.join(show_dir, PLAN)):
        _restore_files(show_dir, show, plays)
    return {} if show is None else show.metadata


def recover(show_dir: str, database: Database, followed: Plan | None = None) -> RecoveredShow:
    """Make files and rows agree with the plan that is followed, else with the file, and return the state."""
    show_dir = os.path.abspath(show_dir)
    restore_plan(show_dir, database)
    _, plays = database.read(lambda conn: _rows(conn, show_dir, database.rows_win))
    path = os.path.join(show_dir, PLAN)
    plan = followed or read_plan(path)
    for name in dict.fromkeys((*plan.names, *(play.name for play in plays))):
        repair(show_dir, database, name, resuming=True)
    for play in plays:
        if read_meta(show_dir, play.name) is None:
            write_meta(show_dir, play.name, meta_from_play(play))
    save_show(show_dir, database, plan, read_text(path))
    show = settle_show(show_dir, database)
    return RecoveredShow(plan, show, {name: play_state_of(show_dir, name) for name in plan.names})


def settle_show(show_dir: str, database: Database) -> Show:
    """Update the row of the show from its files; an `_ABORT` is left to the director."""
    final = read_final_verdict(show_dir)
    if final is not None:
        passed = bool(final.get("show_passed"))
        return save_final_verdict(show_dir, database, final, ShowStatus.COMPLETED if passed else ShowStatus.ABORTED)
    show = database.read(lambda conn: get_show(conn, os.path.basename(show_dir)))
    if show.status is ShowStatus.ACTIVE or os.path.lexists(os.path.join(show_dir, ABORT)):
        return show
    return reopen_show(show_dir, database)


def play_state_of(show_dir: str, play: str) -> PlayState:
    """Read the state of a play from its file."""
    meta = read_meta(show_dir, play) or {}
    return PlayState(
        status=parse(PlayStatus, meta.get("status", PlayStatus.PENDING), "play status"),
        attempt=int(meta.get("attempt", 1)),
        allowed=meta.get("allowed"),
        approved=bool(meta.get("approved")),
        anyway=bool(meta.get("anyway")),
        force=bool(meta.get("force")),
        parked_until=meta.get("parked_until"),
        blocked_by=tuple(meta.get("blocked_by") or ()),
    )


def _rows(conn: Connection, show_dir: str, rows_win: bool) -> tuple[Show | None, list[Play]]:
    """The rows that we wrote; a play of another database or folder has passed no gate of ours."""
    show = find_show(conn, os.path.basename(show_dir))
    if show is None or (not rows_win and os.path.realpath(show.show_dir) != os.path.realpath(show_dir)):
        return None, []
    return show, [play for play in list_plays(conn, show.id) if IMPORTED not in play.metadata]


def _restore_files(show_dir: str, show: Show | None, plays: list[Play]) -> None:
    """Write a lost folder again from the rows."""
    text = None if show is None else show.metadata.get("plan")
    if show is None or not isinstance(text, str):
        topic = os.path.basename(show_dir)
        raise NotFound(f"{show_dir} has no {PLAN}", hint=f"li show plan {topic}")
    load_plan(show.topic, text)  # refused before anything is written
    for play in plays:
        if play.gate_passed is not None and not os.path.lexists(os.path.join(show_dir, play.name, VERDICT)):
            verdict: dict[str, Any] = {"gate_passed": play.gate_passed, "feedback": play.gate_feedback}
            write_json(os.path.join(show_dir, play.name, VERDICT), {"attempt": play.attempt, **verdict})
    final = show.metadata.get("final_verdict")
    if isinstance(final, dict):
        write_json(os.path.join(show_dir, FINAL_VERDICT), final)
    elif show.status is ShowStatus.ABORTED:
        write_text(os.path.join(show_dir, ABORT), "\n")
    # last, because its presence means that the folder is complete
    write_text(os.path.join(show_dir, PLAN), text)
