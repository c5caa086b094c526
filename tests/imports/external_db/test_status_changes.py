"""`li state import-db` and statuses: a row moves only by the transition tables (ADR 0020)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.imports.external_db.test_importer import imported, other_path
from tests.support.archives import AssertUnchanged
from tests.support.builders import T0, begin, read, write

from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.state.database import Database
from lionstudio.state.sessions import get_session
from lionstudio.state.shows import get_play, put_play, put_show

__all__ = ["other_path"]  # a fixture


@pytest.mark.parametrize(
    ("ours", "theirs", "kept"),
    [
        ("timed_out", "failed", "timed_out"),
        ("failed", "completed", "failed"),
        ("aborted", "running", "aborted"),
        ("completed", "completed", "completed"),
    ],
)
def test_import_database_keeps_final_session_status(
    db: Database, other_path: Path, blank: Path, ours: str, theirs: str, kept: str
) -> None:
    shutil.copy(blank, other_path)
    with Database(str(other_path)) as other:
        begin(other, "s", name="there", status=theirs, updated_at=T0 + 5, exit_code=9, ended_at=T0 + 5)
    begin(db, "s", status=ours, updated_at=T0, exit_code=7, ended_at=T0)

    imported(db, other_path)

    session = read(db, get_session, "s")
    outcome = (9, T0 + 5) if ours == theirs else (7, T0)
    assert (session.name, session.status, session.exit_code, session.ended_at) == ("there", kept, *outcome)
    assert session.metadata.get("imported", {}).get("status") == (None if ours == theirs else theirs)
    with AssertUnchanged(db):
        imported(db, other_path)


@pytest.mark.parametrize(
    ("ours", "theirs", "kept"),
    [("merged", "redoing", "merged"), ("pending", "merged", "merged"), ("escalated", "running", "running")],
)
def test_import_database_moves_play_only_by_table(
    db: Database, other_path: Path, blank: Path, ours: str, theirs: str, kept: str
) -> None:
    shutil.copy(blank, other_path)
    with Database(str(other_path)) as other:
        show = write(other, put_show, Show(topic="t", show_dir="/w", created_at=T0))
        write(other, put_play, Play(show_id=show.id, name="api", status=PlayStatus(theirs), updated_at=T0 + 5))
    here = write(db, put_show, Show(topic="t", show_dir="", created_at=T0, status=ShowStatus.IMPORTED))
    write(db, put_play, Play(show_id=here.id, name="api", status=PlayStatus(ours), updated_at=T0))

    imported(db, other_path)

    assert read(db, get_play, here.id, "api").status == kept
    with AssertUnchanged(db):
        imported(db, other_path)
