"""A play whose folder an agent has spoilt: what is not ours is put aside, and its row is written out again.

The play alone pays for it. Nothing is read or written through a link, and nothing that was there is lost.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from lionstudio.errors import LionError
from lionstudio.files.shows.show_folder import META
from lionstudio.model.status.statuses import PLAY_TRANSITIONS, PlayStatus
from lionstudio.shows.records import decisions
from lionstudio.shows.records.play_records import Meta, meta_in_row, put_row, read_meta, write_meta
from lionstudio.state.database import Database

# its agent may live, and is adopted rather than left alone beside the next one
_AT_WORK = PlayStatus.RUNNING


def repair(show_dir: str, database: Database, play: str, *, taking_up: bool = False) -> str | None:
    """Why the files of a play could not be used, None when they can.

    While a director works the row is what it wrote last, and is right. Who takes a show up cannot know whether it was
    one step behind, so a person decides.
    """
    try:
        read_meta(show_dir, play)
        return None
    except LionError as error:
        why = error.message
    _put_aside(show_dir, play)
    meta = meta_in_row(database, show_dir, play) or {"status": str(PlayStatus.PENDING), "attempt": 1}
    if taking_up:
        meta = _escalated(meta, f"{why}; it was put aside, and what the database knows was written again")
    write_meta(show_dir, play, meta)
    database.write(lambda conn: put_row(conn, show_dir, play, meta))
    decisions.log(show_dir, "mended", play=play, reason=why)
    return why


def _escalated(meta: Meta, reason: str) -> Meta:
    status = PlayStatus(meta["status"])
    if status is _AT_WORK or PlayStatus.ESCALATED not in PLAY_TRANSITIONS[status]:
        return meta
    return {**meta, "status": str(PlayStatus.ESCALATED), "reason": reason}


def _put_aside(show_dir: str, play: str) -> None:
    """Under another name; a link in the place of the folder goes, and what it leads to is not touched."""
    folder = os.path.join(show_dir, play)
    if os.path.islink(folder):
        os.unlink(folder)
    elif os.path.lexists(folder) and not os.path.isdir(folder):
        os.rename(folder, os.path.join(show_dir, f".{play}.{time.time_ns()}"))
    path = os.path.join(folder, META)
    with suppress(FileNotFoundError):
        os.rename(path, f"{path}.{time.time_ns()}.bad")
