"""kill -9 of each kind of process of a run: the run is in a true state within seconds, and no process is left."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.crash.conftest import Figures
from tests.support.agents import li
from tests.support.crash_runs import SECONDS, TIMES, WORK_SECONDS, CrashRun, parent_of, pause, repeat, started
from tests.support.process_trees import everything_below, still_alive
from tests.support.waiting import wait_until

pytestmark = [
    pytest.mark.crash,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


def kill(*pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("has_program", [True, False], ids=["program", "no program"])
def test_recorder_killed_at_random(has_program: bool, tmp_path: Path, figures: Figures) -> None:
    def one(_: int) -> str:
        run = CrashRun.new(tmp_path)
        with started(run, run.program_argv() if has_program else run.script_argv("@say one\n@hang")) as process:
            run.pause_at_random()
            kill(process.pid)
            process.wait()
            row = run.assert_ends()
        assert row is None or (row["status"], row["reason_codes"]) == ("failed", ["run.failed.process_dead"])
        return "before it began" if row is None else row["status"]

    figures(f"{TIMES} recorders killed: {dict(Counter(repeat(TIMES, one)))}")


VICTIMS: dict[str, tuple[Callable[[int, int, int], tuple[int, ...]], str]] = {
    "guard": (lambda recorder, watchdog, guard: (guard,), "failed"),
    "watchdog": (lambda recorder, watchdog, guard: (watchdog,), "running"),
    "watchdog and guard": (lambda recorder, watchdog, guard: (watchdog, guard), "failed"),
    "recorder and guard": (lambda recorder, watchdog, guard: (recorder, guard), "failed"),
    "watchdog and recorder": (lambda recorder, watchdog, guard: (watchdog, recorder), "failed"),
}


@pytest.mark.parametrize("name", VICTIMS)
def test_watchers_killed(name: str, tmp_path: Path, figures: Figures) -> None:
    victims, status = VICTIMS[name]

    def one(_: int) -> None:
        run = CrashRun.new(tmp_path)
        with started(run, run.program_argv()) as process:
            guard = parent_of(run.wait_for_processes())
            kill(*victims(process.pid, parent_of(guard), guard))
            if status == "running":
                # the recorder goes on with another watchdog, which does its work when the recorder is killed
                wait_until(lambda: len(everything_below(process.pid)) == 1)
                row = run.row()
                assert row is not None
                assert row["status"] == "running"
                assert still_alive({guard}) == {guard}
                pause(0.2)
                kill(process.pid)
            if name == "watchdog and guard":  # the two that adopt: a process without environment is lost
                wait_until(lambda: len(run.processes()) == 1)
                kill(*run.processes())
            row = run.assert_ends()
        assert row is not None
        assert row["status"] == "failed"

    repeat(TIMES, one)
    figures(f"{TIMES} times {name} killed: every run failed within {SECONDS:.0f} s, no process left")


def test_everything_killed_at_once_is_settled_by_the_next_run(tmp_path: Path) -> None:
    run = CrashRun.new(tmp_path)
    with started(run, run.program_argv()) as process:
        guard = parent_of(run.wait_for_processes())
        kill(process.pid, parent_of(guard), guard)
        process.wait()
    row = run.row()
    assert row is not None
    assert row["status"] == "running"
    done = li(tmp_path, "agent", "script", "@say next")
    assert done.returncode == 0
    assert f"run {run.session_id} was failed" in done.stderr
    assert len(run.processes()) <= 1  # the one that has neither parent nor environment, if the guard died first
    kill(*run.processes())


def test_background_launcher_killed(tmp_path: Path, figures: Figures) -> None:
    def one(_: int) -> str:
        run = CrashRun.new(tmp_path)
        prompt = "@say one\n@run sleep 0.3\n@say two"
        with started(run, run.script_argv(prompt, "--background")) as launcher:
            run.pause_at_random()
            kill(launcher.pid)
            launcher.wait()
            wait_until(lambda: not run.is_recorded(), WORK_SECONDS)
            row = run.row()
        return "before it began" if row is None else row["status"]

    ends = Counter(repeat(TIMES, one))
    assert set(ends) <= {"completed", "before it began"}, ends
    figures(f"{TIMES} background launchers killed: {dict(ends)}")


def test_background_run_killed(tmp_path: Path, figures: Figures) -> None:
    def one(_: int) -> str:
        run = CrashRun.new(tmp_path)
        with started(run, [*run.program_argv()[:3], "--background", *run.program_argv()[3:]]) as launcher:
            run.wait_for_processes()
            launcher.wait(20)
            kill((run.row() or {})["owner"]["pid"])
            row = run.assert_ends()
        assert row is not None
        assert (row["status"], row["reason_codes"]) == ("failed", ["run.failed.process_dead"])
        return str(row["status"])

    figures(f"{TIMES} background runs killed: {dict(Counter(repeat(TIMES, one)))}")
