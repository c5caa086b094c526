"""Remove single runs: their rows, their entries in the search index, and their files in the home."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress

from lionstudio.model.ids import file_name
from lionstudio.runs.spool import spool_files
from lionstudio.runs.stream_files import stream_folder
from lionstudio.settings import local_folder
from lionstudio.state.backends import fulltext
from lionstudio.state.database import Database
from lionstudio.state.imports.transcript_files import forget_files
from lionstudio.state.upkeep.remove import Removed, remove_sessions
from lionstudio.system.safe_rmtree import safe_rmtree


def remove_runs(database: Database, home: str, session_ids: Collection[str]) -> Removed:
    """Remove runs that have ended. The rows go first: files of a run without a row are found by no command."""
    removed = database.write(lambda conn: remove_sessions(conn, session_ids))
    while database.write(lambda conn: fulltext(conn).forget_deleted(conn)):
        pass
    for session_id in session_ids:
        folder = stream_folder(home, session_id)
        safe_rmtree(folder, above=2)
        with suppress(OSError):
            os.rmdir(os.path.dirname(folder))  # stays if another tool put its own files there
        log = os.path.join(home, "logs", f"{file_name(session_id)}.log")
        lock = os.path.join(local_folder(database.path), "run", f"{file_name(session_id)}.lock")
        for path in (*spool_files(database.path, session_id), log, lock):
            with suppress(OSError):
                os.unlink(path)
    return removed


def forget_transcripts(database: Database, session_ids: Collection[str]) -> None:
    """Forget that the transcripts of these sessions were read: the next import reads them again."""
    database.write(lambda conn: forget_files(conn, session_ids))
