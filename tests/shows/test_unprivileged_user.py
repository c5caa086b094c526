"""Shows of a user other than root: the environments of our own processes are closed to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.children import unprivileged
from tests.support.hostile_folders import NOBODY, open_folder
from tests.support.process_trees import still_alive
from tests.support.show_harness import TOPIC, ShowHarness, process_with

from lionstudio.system.session_processes import end_processes_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> Iterator[ShowHarness]:
    """A show of an unprivileged user, even where tests run as root."""
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "*")  # the tests look into a repository that is not theirs
    with open_folder() as root:
        harness = ShowHarness(root, unprivileged())
        harness.env["HOME"] = str(root)
        yield harness
        end_processes_of(session_of(harness), grace=0)


def begin(harness: ShowHarness, script: str) -> tuple[subprocess.Popen[bytes], Path, int]:
    """Start a show with one play; return its director, the folder of its attempt, and the recorder of its agent."""
    harness.write_plan({"a": script})
    if harness.inside:
        for path in (harness.root, *harness.root.rglob("*")):
            os.lchown(path, NOBODY, NOBODY)
    director = harness.start()
    harness.wait_until(lambda: harness.runs()["a"])
    return director, harness.show_dir / "a" / "attempts" / "1", process_with("--session-id", session_of(harness))


def session_of(harness: ShowHarness) -> str:
    return str(harness.meta("a")["session_id"])


def kill_supervisor(attempt: Path) -> None:
    os.kill(process_with(str(attempt), "lionstudio.shows.attempt.supervisor"), signal.SIGKILL)


def test_supervisor_adopts_the_recorder_of_a_killed_one(harness: ShowHarness) -> None:
    """The agent has no process of its own: only its recorder, whose environment is closed, shows that it works."""
    director, attempt, recorder = begin(harness, "@sleep 6\n@write a.txt a")
    kill_supervisor(attempt)
    harness.wait_until(lambda: (attempt / "exit.json").exists())

    assert still_alive({recorder}) == set()
    _, errors = director.communicate(timeout=60)
    assert (director.returncode, harness.statuses()) == (0, {"a": "merged"}), errors
    assert (harness.runs(), harness.merged()) == ({"a": 1}, {"a": 1})


def test_stop_ends_an_adopted_recorder(harness: ShowHarness) -> None:
    director, attempt, recorder = begin(harness, "@sleep 300")
    kill_supervisor(attempt)
    assert harness.li("show", "abort", TOPIC).code == 0
    director.communicate(timeout=60)

    assert still_alive({recorder}) == set()
    assert (harness.statuses(), harness.runs()) == ({"a": "aborted_after_finish"}, {"a": 1})


def test_abort_ends_a_recorder_without_supervisor_and_director(harness: ShowHarness) -> None:
    director, attempt, recorder = begin(harness, "@sleep 300")
    director.kill()
    director.communicate()
    kill_supervisor(attempt)
    (harness.show_dir / "_show.md").write_text("---\nplays: [\n---\n")  # no director can start

    assert "stopped 1 agent of demo" in harness.li("show", "abort", TOPIC).err
    assert still_alive({recorder}) == set()


def test_kill_ends_a_recorder_without_supervisor(harness: ShowHarness) -> None:
    director, attempt, recorder = begin(harness, "@sleep 300")
    director.kill()
    director.communicate()
    kill_supervisor(attempt)

    assert harness.li("kill", session_of(harness)).code == 0
    harness.wait_until(lambda: not still_alive({recorder}))
