"""Abort of a show: running agents end, others are not started."""

from __future__ import annotations

import shutil
import threading

import pytest
from tests.support.show_harness import ShowHarness

from lionstudio.files.shows.plan_reader import read_plan
from lionstudio.model.ids import new_id
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.records import play_records


def test_abort_ends_agents_and_is_recorded(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@run sleep 300", "b": {"prompt": "@say b", "depends_on": ["a"]}})
    thread = threading.Thread(target=harness.direct)
    thread.start()
    harness.wait_until(lambda: harness.runs()["a"])
    (harness.show_dir / "_ABORT").write_text("\n")
    thread.join(60)

    assert harness.statuses() == {"a": "aborted_after_finish", "b": "pending"}
    assert harness.rows()[0] == "aborted"
    harness.assert_consistent()


def test_abort_does_not_start_an_agent_to_stop_it(harness: ShowHarness) -> None:
    """The director was killed between the transition and the start of the attempt; then the show was aborted."""
    harness.write_plan({"a": "@say a"})
    show_dir = str(harness.show_dir)
    harness.home.mkdir(parents=True)
    with harness.database() as database:
        play_records.save_show(show_dir, database, read_plan(f"{show_dir}/_show.md"))
        play_records.save_play(show_dir, database, "a", PlayStatus.PREPARED, worktree=str(harness.repo))
        play_records.save_play(show_dir, database, "a", PlayStatus.RUNNING, session_id=new_id())
    (harness.show_dir / "_ABORT").write_text("\n")

    assert harness.direct() == "aborted"
    assert harness.statuses() == {"a": "aborted_after_finish"}
    assert harness.runs() == {}
    assert not (harness.show_dir / "a" / "attempts" / "1" / "attempt.json").exists()


@pytest.mark.parametrize("deleted", ["shows", "home"])
def test_director_exits_when_its_folders_are_deleted(harness: ShowHarness, deleted: str) -> None:
    harness.write_plan({"a": "@write a.txt a"}, gates=["person"])
    with harness.start() as director:
        harness.wait_until(lambda: (harness.show_dir / "_resting.json").exists())
        shutil.rmtree(harness.root / deleted)
        _, errors = director.communicate(timeout=60)

    assert (director.returncode, b"was removed" in errors) == (1, True)
