"""An abort: what runs is ended, what has not started stays so."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.support.show_harness import ShowHarness

from lionstudio.files.shows.plan_reader import read_plan
from lionstudio.model.ids import new_id
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.records import play_records


@pytest.fixture
def theatre(tmp_path: Path) -> ShowHarness:
    return ShowHarness(tmp_path)


def test_an_abort_ends_agents_and_says_so(theatre: ShowHarness) -> None:
    theatre.plan({"a": "@run sleep 300", "b": {"prompt": "@say b", "depends_on": ["a"]}})
    thread = threading.Thread(target=theatre.direct)
    thread.start()
    theatre.until(lambda: theatre.runs()["a"])
    (theatre.show_dir / "_ABORT").write_text("\n")
    thread.join(60)

    assert theatre.statuses() == {"a": "aborted_after_finish", "b": "pending"}
    assert theatre.rows()[0] == "aborted"
    theatre.assert_whole()


def test_an_agent_that_was_not_started_yet_is_not_started_to_be_stopped(theatre: ShowHarness) -> None:
    """Its director was killed between noting the attempt and ordering it; then the show was aborted."""
    theatre.plan({"a": "@say a"})
    show_dir = str(theatre.show_dir)
    theatre.home.mkdir(parents=True)
    with theatre.database() as database:
        play_records.save_show(show_dir, database, read_plan(f"{show_dir}/_show.md"))
        play_records.save_play(show_dir, database, "a", PlayStatus.PREPARED, worktree=str(theatre.repo))
        play_records.save_play(show_dir, database, "a", PlayStatus.RUNNING, session_id=new_id())
    (theatre.show_dir / "_ABORT").write_text("\n")

    assert theatre.direct() == "aborted"
    assert theatre.statuses() == {"a": "aborted_after_finish"}
    assert theatre.runs() == {}
    assert not (theatre.show_dir / "a" / "attempts" / "1" / "attempt.json").exists()
