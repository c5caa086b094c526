"""File and row of a show: the file first; a kill between the two, or the loss of either, loses nothing."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, read
from tests.support.children import ROOT, environment
from tests.support.sql_trace import traced

from lionstudio.errors import IllegalTransition, NotFound
from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.files.shows.show_folder import read_show
from lionstudio.model.shows import play_codec
from lionstudio.model.shows.decisions import ReasonCode
from lionstudio.model.shows.plan import Plan
from lionstudio.model.shows.show import Play
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.show_sync.rows import row_differences
from lionstudio.shows.director.state import PlayState, Transition
from lionstudio.shows.records import play_records
from lionstudio.shows.records.play_records import (
    read_meta,
    reopen_show,
    save_final_verdict,
    save_play,
    save_show,
    save_transition,
    save_verdict,
)
from lionstudio.shows.records.recovery import recover
from lionstudio.state.database import Database
from lionstudio.state.shows import get_show, list_plays

TEXT = """\
---
goal: A parser
repo: /src/parser
agent: script
plays:
  - {name: lexer, prompt: "@say x", intent: Words first.}
  - {name: parser, prompt: "@say y", depends_on: lexer, effort: high}
---
# Why
"""


def plan_of(text: str = TEXT) -> Plan:
    return load_plan("speed", text)


@pytest.fixture
def show_dir(tmp_path: Path) -> str:
    return str(tmp_path / "shows" / "speed")


def plays(db: Database) -> dict[str, Play]:
    return {play.name: play for play in read(db, list_plays, read(db, get_show, "speed").id)}


def assert_agree(show_dir: str, db: Database) -> None:
    """Assert that an import of the folder would change nothing."""
    folder = read_show(show_dir, str(Path(show_dir).parent))
    assert [play.fault for play in folder.plays if play.fault] == []
    assert read(db, row_differences, folder) == []


def meta(show_dir: str, play: str) -> dict[str, Any]:
    current = read_meta(show_dir, play)
    assert current is not None
    return current


def test_save_show_writes_folder_and_rows(show_dir: str, db: Database) -> None:
    show = save_show(show_dir, db, plan_of(), TEXT, base="abc")

    assert Path(show_dir, "_show.md").read_text() == TEXT
    assert Path(show_dir, "lexer", "_intent.md").read_text() == "Words first.\n"
    assert (show.goal, show.repo, show.status, show.integration_branch) == (
        "A parser",
        "/src/parser",
        ShowStatus.ACTIVE,
        "show/speed/integration",
    )
    assert show.metadata == {"plan": TEXT, "base": "abc"}
    assert [(play.name, play.status, play.depends_on, play.effort, play.sort_order) for play in plays(db).values()] == [
        ("lexer", "pending", (), None, 0),
        ("parser", "pending", ("lexer",), "high", 1),
    ]
    assert_agree(show_dir, db)


@pytest.mark.parametrize("rows_win", [False, True])
def test_step_of_a_play_does_not_read_the_plan_of_the_show(show_dir: str, db: Database, rows_win: bool) -> None:
    """A show of many plays has a long plan in its row."""
    save_show(show_dir, db, plan_of(), TEXT)
    db.rows_win = rows_win
    with traced(db.conn) as ran:
        save_play(show_dir, db, "lexer", PlayStatus.PREPARED, worktree="/c/lexer")
        save_verdict(show_dir, db, "lexer", {"gate_passed": True}, PlayStatus.PREPARED)
        play_records.find_meta_of_row(db, show_dir, "lexer")

    assert any("plays" in one.sql for one in ran)
    assert [one.sql for one in ran if one.sql.startswith("SELECT *") and "FROM shows" in one.sql] == []


def test_every_step_writes_file_and_row(show_dir: str, db: Database) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    begin(db, "the-run", name="show_speed_lexer")
    save_play(show_dir, db, "lexer", PlayStatus.PREPARED, worktree="/c/lexer")
    save_play(show_dir, db, "lexer", PlayStatus.RUNNING, started_at=5.0, ended_at=None, session_id="the-run")
    assert_agree(show_dir, db)
    save_play(show_dir, db, "lexer", PlayStatus.RUNNING_COMPLETE, ended_at=9.0, exit_code=0)
    verdict = {"gate_passed": False, "feedback": "no tests\x00", "checks": []}
    save_verdict(show_dir, db, "lexer", verdict, PlayStatus.GATE_FAILED)
    assert_agree(show_dir, db)
    following = Transition(status=PlayStatus.REDOING, attempt=2, reason="no tests", allowed=4)
    save_transition(show_dir, db, "lexer", following)

    row = plays(db)["lexer"]
    assert (row.status, row.attempt, row.session_id, row.worktree, row.exit_code) == (
        "redoing",
        2,
        "the-run",
        "/c/lexer",
        0,
    )
    assert (row.gate_passed, row.gate_feedback) == (False, "no tests\\x00")
    assert row.metadata["meta"] == {"session_id": "the-run", "reason": "no tests", "allowed": 4}
    attempts = Path(show_dir, "lexer", "attempts", "1")
    assert json.loads((attempts / "verdict.json").read_text())["feedback"] == "no tests\x00"
    assert json.loads((attempts / "meta.json").read_text())["status"] == "gate_failed"
    assert_agree(show_dir, db)


def test_repeated_step_changes_nothing(show_dir: str, db: Database) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    first = save_play(show_dir, db, "lexer", PlayStatus.PREPARED, worktree="/c")
    before = {path: path.read_bytes() for path in Path(show_dir).rglob("*") if path.is_file()}
    seq = db.conn.value("SELECT max(seq) FROM changes")

    assert save_play(show_dir, db, "lexer", PlayStatus.PREPARED, worktree="/c") == first
    save_show(show_dir, db, plan_of(), TEXT)

    assert {path: path.read_bytes() for path in Path(show_dir).rglob("*") if path.is_file()} == before
    assert db.conn.value("SELECT max(seq) FROM changes") == seq


def test_save_play_refuses_an_illegal_transition_before_writing(show_dir: str, db: Database) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    before = meta(show_dir, "lexer")

    with pytest.raises(IllegalTransition, match="play lexer is pending and cannot become merged"):
        save_play(show_dir, db, "lexer", PlayStatus.MERGED, merge_sha="x")

    assert meta(show_dir, "lexer") == before
    assert plays(db)["lexer"].status == "pending"


def test_save_play_links_a_session_when_it_exists(show_dir: str, db: Database) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    save_play(show_dir, db, "lexer", PlayStatus.PREPARED, session_id="later")
    assert plays(db)["lexer"].session_id is None
    begin(db, "later", name="show_speed_lexer")
    save_play(show_dir, db, "lexer", PlayStatus.RUNNING)

    assert plays(db)["lexer"].session_id == "later"
    assert_agree(show_dir, db)


def test_save_show_adds_new_and_removes_unstarted_plays(show_dir: str, db: Database) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    save_play(show_dir, db, "lexer", PlayStatus.PREPARED)
    edited = TEXT.replace("name: lexer", "name: words").replace("depends_on: lexer", "depends_on: words")
    edited = edited.replace("name: parser", "name: tree")
    save_show(show_dir, db, plan_of(edited), edited)

    current = plays(db)
    assert list(current) == ["words", "tree", "lexer"]  # what has begun is not forgotten
    assert current["tree"].depends_on == ("words",)
    assert not Path(show_dir, "parser").exists()
    assert_agree(show_dir, db)


def test_reopen_show_after_its_end(show_dir: str, db: Database) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    ended = save_final_verdict(show_dir, db, {"show_passed": True, "summary": "good"}, ShowStatus.COMPLETED)
    left = {"lexer": "pending", "parser": "pending"}
    assert (ended.status, ended.metadata["final_verdict"]) == (
        "completed",
        {"show_passed": True, "summary": "good", "left_out": left},
    )
    assert json.loads(Path(show_dir, "_final_verdict.json").read_text())["left_out"] == left
    assert_agree(show_dir, db)
    reopened = reopen_show(show_dir, db)

    assert (reopened.status, "final_verdict" in reopened.metadata) == ("active", False)
    assert [path.name for path in Path(show_dir).glob("_final*")] != ["_final_verdict.json"]
    assert_agree(show_dir, db)


@pytest.mark.parametrize("has_codes", [True, False], ids=["with codes", "by version 0.1"])
def test_reopen_show_redoes_aborted_plays_and_keeps_rejected_ones(show_dir: str, db: Database, has_codes: bool) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    ends = (
        ("lexer", ReasonCode.SHOW_ABORTED, "the show was aborted"),
        ("parser", ReasonCode.REJECTED, "a person gave it up"),
    )
    for play, code, reason_0_1 in ends:
        save_play(show_dir, db, play, PlayStatus.ESCALATED)
        end = (
            Transition(status=PlayStatus.ABORTED_AFTER_FINISH, attempt=1, reason="why", reason_code=code)
            if has_codes
            else Transition(status=PlayStatus.ABORTED_AFTER_FINISH, attempt=1, reason=reason_0_1)
        )
        save_transition(show_dir, db, play, end)
    save_final_verdict(show_dir, db, None, ShowStatus.ABORTED)

    reopen_show(show_dir, db)

    assert recover(show_dir, db).plays == {
        "lexer": PlayState(status=PlayStatus.REDOING, attempt=2, allowed=2),
        "parser": PlayState(status=PlayStatus.ABORTED_AFTER_FINISH),
    }
    assert_agree(show_dir, db)


def test_reopen_show_keeps_aborted_plays_of_other_tools(show_dir: str, db: Database) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    save_play(show_dir, db, "lexer", PlayStatus.ESCALATED)
    save_transition(show_dir, db, "lexer", Transition(status=PlayStatus.ABORTED_AFTER_FINISH, attempt=1))
    save_final_verdict(show_dir, db, None, ShowStatus.ABORTED)

    reopen_show(show_dir, db)

    assert recover(show_dir, db).plays["lexer"].status is PlayStatus.ABORTED_AFTER_FINISH


# ── recovery ──


def advance(show_dir: str, db: Database) -> dict[str, PlayState]:
    """Bring a show into the middle of its run."""
    save_show(show_dir, db, plan_of(), TEXT)
    begin(db, "the-run", name="show_speed_lexer")
    for status in (PlayStatus.PREPARED, PlayStatus.RUNNING, PlayStatus.RUNNING_COMPLETE):
        save_play(show_dir, db, "lexer", status, session_id="the-run", started_at=5.0)
    save_verdict(show_dir, db, "lexer", {"gate_passed": True, "feedback": None}, PlayStatus.GATED, approved=True)
    parked = Transition(status=PlayStatus.PREPARED, attempt=1, parked_until=99.0)
    save_transition(show_dir, db, "parser", parked)
    return {
        "lexer": PlayState(status=PlayStatus.GATED, approved=True),
        "parser": PlayState(status=PlayStatus.PREPARED, parked_until=99.0),
    }


def test_recover_from_files_and_rows(show_dir: str, db: Database) -> None:
    expected = advance(show_dir, db)

    joined = recover(show_dir, db)

    assert (joined.plan, joined.show.status, joined.plays) == (plan_of(), "active", expected)
    assert_agree(show_dir, db)


def test_recover_from_files_alone(show_dir: str, db: Database, blank: Path, tmp_path: Path) -> None:
    expected = advance(show_dir, db)
    before = plays(db)["lexer"]

    with Database(str(shutil.copy(blank, tmp_path / "other.db"))) as other:
        begin(other, "the-run", name="show_speed_lexer")
        assert recover(show_dir, other).plays == expected
        after = plays(other)["lexer"]
        assert_agree(show_dir, other)

    same = ("status", "attempt", "session_id", "gate_passed", "started_at", "depends_on", "sort_order")
    assert [getattr(after, name) for name in same] == [getattr(before, name) for name in same]


def test_recover_from_rows_alone(show_dir: str, db: Database) -> None:
    expected = advance(show_dir, db)
    before = meta(show_dir, "lexer")
    shutil.rmtree(show_dir)

    joined = recover(show_dir, db)

    assert (joined.plan, joined.plays) == (plan_of(), expected)
    assert Path(show_dir, "_show.md").read_text() == TEXT
    assert {name: value for name, value in meta(show_dir, "lexer").items() if value is not None} == {
        name: value for name, value in before.items() if value is not None
    }
    assert json.loads(Path(show_dir, "lexer", "_verdict.json").read_text())["gate_passed"] is True
    assert_agree(show_dir, db)


def test_recover_restores_a_missing_file_from_its_row(show_dir: str, db: Database) -> None:
    expected = advance(show_dir, db)
    shutil.rmtree(Path(show_dir, "parser"))

    assert recover(show_dir, db).plays == expected


def test_recover_keeps_an_ended_show_ended(show_dir: str, db: Database) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    save_final_verdict(show_dir, db, {"show_passed": False, "summary": "no"}, ShowStatus.ABORTED)
    shutil.rmtree(show_dir)

    assert recover(show_dir, db).show.status == "aborted"
    assert json.loads(Path(show_dir, "_final_verdict.json").read_text())["summary"] == "no"


def test_recover_corrects_an_early_end(show_dir: str, db: Database) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    save_final_verdict(show_dir, db, None, ShowStatus.COMPLETED)
    Path(show_dir, "_final_verdict.json").write_text('{"show_passed": false, "summary": "no"}')

    assert recover(show_dir, db).show.status == "aborted"
    assert recover(show_dir, db).show.status == "aborted"
    assert_agree(show_dir, db)


def test_recover_without_files_and_rows_is_not_found(show_dir: str, db: Database) -> None:
    with pytest.raises(NotFound, match=r"has no _show\.md"):
        recover(show_dir, db)


# ── kills between file and row ──

STEPS = {
    "show.plan_written": "save_show(show_dir, db, plan, TEXT)",
    "show.play_written": "save_play(show_dir, db, 'lexer', PlayStatus.PREPARED, worktree='/c')",
    "show.verdict_written": "save_verdict(show_dir, db, 'parser', {'gate_passed': True}, PlayStatus.GATED)",
    "show.final_written": "save_final_verdict(show_dir, db, {'show_passed': True}, ShowStatus.COMPLETED)",
    "show.reopened": "reopen_show(show_dir, db)",
}
PROGRAM = """
import sys
from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.shows.records.play_records import *
from lionstudio.state.database import Database
show_dir, db, TEXT = sys.argv[1], Database(sys.argv[2]), sys.argv[3]
plan = load_plan("speed", TEXT)
"""


@pytest.mark.crash
@pytest.mark.parametrize("where", ["write.before_commit", *STEPS])
def test_kill_between_file_and_row(where: str, show_dir: str, path: str) -> None:
    with Database(path) as db:
        save_show(show_dir, db, plan_of(), TEXT)
        for status in (PlayStatus.PREPARED, PlayStatus.RUNNING, PlayStatus.RUNNING_COMPLETE):
            save_play(show_dir, db, "parser", status)
        if where == "show.reopened":
            save_final_verdict(show_dir, db, {"show_passed": False}, ShowStatus.ABORTED)
    edited = TEXT.replace("A parser", "A better parser")
    step = STEPS.get(where, STEPS["show.play_written"])
    killed = subprocess.run(
        [sys.executable, "-c", PROGRAM + step, show_dir, path, edited],
        cwd=ROOT,
        env=environment(LIONAGI_CRASH_AT=where),
        capture_output=True,
        text=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr

    with Database(path) as db:
        joined = recover(show_dir, db)
        assert_agree(show_dir, db)
    done = {
        "show.plan_written": joined.plan.goal == "A better parser" and joined.show.goal == "A better parser",
        "show.play_written": joined.plays["lexer"].status is PlayStatus.PREPARED,
        # the verdict is there, the step after it is not: the gates are asked again
        "show.verdict_written": joined.plays["parser"].status is PlayStatus.RUNNING_COMPLETE,
        "show.final_written": joined.show.status is ShowStatus.COMPLETED,
        "show.reopened": joined.show.status is ShowStatus.ACTIVE,
        "write.before_commit": joined.plays["lexer"].status is PlayStatus.PREPARED,
    }
    assert done[where]


@pytest.mark.parametrize("edited", [False, True], ids=["two works", "an edit of the plan"])
def test_save_play_from_two_threads_loses_nothing(
    show_dir: str, db: Database, monkeypatch: pytest.MonkeyPatch, edited: bool
) -> None:
    save_show(show_dir, db, plan_of(), TEXT)
    other = threading.Thread(target=save_play, args=(show_dir, db, "lexer"), kwargs={"exit_code": 3})
    write_meta = play_records.write_meta

    def slowly(folder: str, play: str, meta: play_codec.Meta) -> None:
        if threading.current_thread() is not other and other.ident is None:
            other.start()
            other.join(0.5)  # what it would write now is older than what follows
        write_meta(folder, play, meta)

    monkeypatch.setattr(play_records, "write_meta", slowly)
    if edited:
        save_show(show_dir, db, plan_of(TEXT.replace("intent", "effort: low, intent")))
    else:
        save_play(show_dir, db, "lexer", effort="low")
    other.join()
    meta = read_meta(show_dir, "lexer") or {}
    assert (meta["effort"], meta["exit_code"]) == ("low", 3)
    assert (plays(db)["lexer"].effort, plays(db)["lexer"].exit_code) == ("low", 3)
