"""`li state doctor --fix-doubles`: a preview, a question, one merge."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.builders import sql
from tests.support.commands import run_li, run_on_terminal
from tests.support.live_runs import claude_run
from tests.support.transcripts import CLAUDE, ClaudeTranscript, mirror

from lionstudio.state.database import Database


@pytest.fixture
def copy(db: Database, tmp_path: Path) -> str:
    """A run that is stored twice; the id of its copy."""
    talk = ClaudeTranscript(tmp_path / "tool").talk(2)
    mirror(db, tmp_path / "tool")
    claude_run(db, talk, talk.records[1:], "please do 2 things", status="aborted", title="please do 2 things")
    return CLAUDE.session_id(talk.session)


def doctor(db: Database, *options: str) -> tuple[str, ...]:
    return ("state", "doctor", "--fix-doubles", *options, "--db", db.path)


def statuses(db: Database) -> list[tuple[str, str]]:
    return [
        (str(id_), str(status)) for id_, status in sql(db, "SELECT id, status FROM sessions ORDER BY source_kind DESC")
    ]


def test_doctor_reports_doubles_with_the_command_that_fixes_them(db: Database, copy: str) -> None:
    done = run_li("state", "doctor", "--db", db.path)
    assert "1 run is stored twice" in done.out
    assert f"li --db {db.path} state doctor --fix-doubles" in done.out


def test_fix_doubles_dry_run_lists_and_changes_nothing(db: Database, copy: str) -> None:
    code, out, _ = run_li(*doctor(db, "--dry-run"))
    assert code == 0
    assert out.splitlines()[0] == "1 imported copy would be merged:"
    assert out.splitlines()[2].split()[:3] == ["live", copy, "8"]
    assert out.splitlines()[2].endswith("please do 2 things")
    assert len(statuses(db)) == 2


def test_fix_doubles_merges_once(db: Database, copy: str) -> None:
    done = run_li(*doctor(db, "--yes", "--json"))
    (double,) = done.json["doubles"]
    assert (double["session_id"], double["copy_id"], double["messages"]) == ("live", copy, 8)
    assert statuses(db) == [("live", "aborted")]
    assert run_li(*doctor(db, "--yes")) == (0, "No runs are stored twice.\n", "")


def test_fix_doubles_asks_for_confirmation(db: Database, copy: str) -> None:
    code, _, err = run_li(*doctor(db))
    assert code == 2
    assert "--dry-run to preview, --yes to confirm" in err
    answer = run_on_terminal(*doctor(db), answer="n\n").out
    assert "Merge 1 imported copy into the recorded runs?" in answer
    assert len(statuses(db)) == 2
