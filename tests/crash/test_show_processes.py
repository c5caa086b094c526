"""kill -9 of the processes of a show: their agents are recorded to the end, or stopped, and no process is left."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.crash.conftest import Figures
from tests.support.agents import sessions
from tests.support.crash_runs import SECONDS, TIMES, pause, processes_with, repeat
from tests.support.process_trees import still_alive
from tests.support.show_harness import TOPIC, ShowHarness, leftover_processes
from tests.support.waiting import wait_until

from lionstudio.shows.process.lock import find_director
from lionstudio.system.procfs import find_parent, list_pids, read_argv

pytestmark = [
    pytest.mark.crash,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


def director_of(harness: ShowHarness) -> int | None:
    owner = find_director(str(harness.show_dir))
    return owner.pid if owner else None


def supervisor_of(harness: ShowHarness) -> int | None:
    module, folder = "lionstudio.shows.attempt.supervisor", str(harness.show_dir)
    arguments = {pid: read_argv(pid) for pid in list_pids()}
    return next((pid for pid, argv in arguments.items() if module in argv and folder in " ".join(argv)), None)


def recorder_of(harness: ShowHarness) -> int | None:
    supervisor = supervisor_of(harness)
    return next((pid for pid in list_pids() if supervisor is not None and find_parent(pid) == supervisor), None)


KINDS: dict[str, Callable[[ShowHarness], int | None]] = {
    "director": director_of,
    "supervisor": supervisor_of,
    "recorder": recorder_of,
}


def ends_of(harness: ShowHarness) -> list[str]:
    return [row["status"] for row in sessions(harness.home)] if (harness.home / "state.db").exists() else []


@pytest.mark.parametrize("kind", KINDS)
def test_process_of_a_show_killed(kind: str, tmp_path: Path, figures: Figures) -> None:
    def one(number: int) -> list[str]:
        harness = ShowHarness(tmp_path / str(number))
        token = f"1.{number}{time.time_ns() % 10**9:09d}"
        harness.write_plan({"a": {"prompt": f"@run sleep {token}\n@write a.txt alpha", "max_attempts": 1}})
        with harness.start("--no-wait") as director:
            wait_until(lambda: KINDS[kind](harness))
            if random.random() < 0.7:  # otherwise it may die before its agent starts
                wait_until(lambda: ends_of(harness))
            pause(1.0)
            if (pid := KINDS[kind](harness)) is not None:
                os.kill(pid, signal.SIGKILL)
            director.communicate(timeout=120)
        wait_until(lambda: "running" not in ends_of(harness), SECONDS)
        wait_until(lambda: not processes_with(token))
        wait_until(lambda: leftover_processes(harness) == [])
        return ends_of(harness) or ["before it began"]

    ends = Counter(end for ends in repeat(TIMES, one) for end in ends)
    assert set(ends) <= {"completed", "before it began", *(["failed"] if kind == "recorder" else [])}
    figures(f"{TIMES} times the {kind} of a show killed: {dict(ends)}")


@pytest.mark.parametrize("removed", ["show folder", "home"])
def test_director_exits_when_its_files_are_removed(removed: str, tmp_path: Path) -> None:
    harness = ShowHarness(tmp_path)
    harness.write_plan({"a": "@run sleep 60"})
    with harness.start() as director:
        wait_until(lambda: supervisor_of(harness) and recorder_of(harness) and ends_of(harness))
        shutil.rmtree(harness.show_dir if removed == "show folder" else harness.home)
        _, output = director.communicate(timeout=60)
    supervisor = supervisor_of(harness)  # without the home it may have its folder, and wait for the agent
    if supervisor is not None:
        os.kill(supervisor, signal.SIGTERM)
    wait_until(lambda: leftover_processes(harness) == [])

    assert director.returncode == 1
    # a director that was about to write learns it from the database
    assert any(reason in output.decode() for reason in ("was removed", "was deleted, moved or replaced"))
    assert still_alive({director.pid}) == set()
    assert TOPIC in str(harness.show_dir)
