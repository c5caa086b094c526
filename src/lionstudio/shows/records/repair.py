"""Repair of a play folder that an agent corrupted: foreign files are moved aside, and the files restored from the row.

Only that play is affected. Nothing is read or written through a link, and no file is lost.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from lionstudio.errors import LionError
from lionstudio.model.shows.play_codec import Meta
from lionstudio.model.shows.show_files import META
from lionstudio.model.status.statuses import PLAY_TRANSITIONS, PlayStatus
from lionstudio.shows.records import decisions
from lionstudio.shows.records.play_records import find_meta_of_row, read_meta, save_row, write_meta
from lionstudio.state.database import Database


def repair(show_dir: str, database: Database, play: str, *, resuming: bool = False) -> str | None:
    """Repair the files of a play if necessary, and return the problem.

    While a director runs, the row holds its last write and is right. When a show is resumed, the row may be one step
    behind, so the play is escalated to a person.
    """
    try:
        read_meta(show_dir, play)
        return None
    except LionError as error:
        problem = error.message
    _move_aside(show_dir, play)
    meta = find_meta_of_row(database, show_dir, play) or {"status": str(PlayStatus.PENDING), "attempt": 1}
    if resuming:
        meta = _escalated(meta, f"{problem}; the file was moved aside and restored from the database")
    write_meta(show_dir, play, meta)
    database.write(lambda conn: save_row(conn, show_dir, play, meta))
    decisions.log_decision(show_dir, "mended", play=play, reason=problem)
    return problem


def _escalated(meta: Meta, reason: str) -> Meta:
    status = PlayStatus(meta["status"])
    # the agent of a running play may be alive: the director adopts it rather than start another beside it
    if status is PlayStatus.RUNNING or PlayStatus.ESCALATED not in PLAY_TRANSITIONS[status]:
        return meta
    return {**meta, "status": str(PlayStatus.ESCALATED), "reason": reason}


def _move_aside(show_dir: str, play: str) -> None:
    """Rename the unusable file; a link in place of the folder is removed, and its target not touched."""
    folder = os.path.join(show_dir, play)
    if os.path.islink(folder):
        os.unlink(folder)
    elif os.path.lexists(folder) and not os.path.isdir(folder):
        os.rename(folder, os.path.join(show_dir, f".{play}.{time.time_ns()}"))
    path = os.path.join(folder, META)
    with suppress(FileNotFoundError):
        os.rename(path, f"{path}.{time.time_ns()}.bad")
