"""Studio killed or stopped while runs that it launched go on, and what it says about runs that were killed."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.crash.conftest import Figures
from tests.support.agents import li
from tests.support.crash_runs import SECONDS, TIMES, WORK_SECONDS, CrashRun, parent_of, pause, repeat, started
from tests.support.studio import Running, server, settings_in, until_answering
from tests.support.waiting import wait_until

pytestmark = [
    pytest.mark.crash,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


def launch(studio: Running, prompt: str) -> str:
    body = {"verb": "agent", "target": "script", "prompt": prompt, "options": {}}
    status, answer = studio.ask("POST", "/api/launches", body)
    assert status == 201, answer
    return str(answer["launch"]["session_id"])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["kill -9", "TERM"])
def test_studio_ended_while_its_launch_runs(number: signal.Signals, tmp_path: Path, figures: Figures) -> None:
    def one(time: int) -> str:
        run = CrashRun.new(tmp_path / str(time) / "home")
        run.home.parent.mkdir()
        with server(run.home.parent, "--no-follow") as studio:
            run = run._replace(session_id=launch(studio, f"@say one\n@run sleep 0.{run.token[5:]}\n@say two"))
            pause(1.0)
            studio.process.send_signal(number)
            studio.process.wait(20)
            wait_until(lambda: run.row() is not None, WORK_SECONDS)
            row = run.assert_ends(WORK_SECONDS)
        assert row is not None
        assert row["message_count"] >= 3
        return str(row["status"])

    ends = Counter(repeat(TIMES, one))
    assert set(ends) == {"completed"}, ends
    figures(f"{TIMES} times Studio ended by {number.name}: its launches {dict(ends)}")


def test_launched_run_killed(tmp_path: Path, figures: Figures) -> None:
    settings_in(tmp_path)
    with server(tmp_path, "--no-follow") as studio:
        until_answering(studio)

        def one(_: int) -> str:
            run = CrashRun.new(studio.home)
            run = run._replace(session_id=launch(studio, f"@say one\n@run sleep {run.token}"))
            wait_until(lambda: (run.row() or {}).get("message_count", 0) > 1)
            pause(0.3)
            os.kill((run.row() or {})["owner"]["pid"], signal.SIGKILL)
            row = run.assert_ends()
            assert row is not None
            assert (row["status"], row["reason_codes"]) == ("failed", ["run.failed.process_dead"])
            return str(row["status"])

        ends = Counter(repeat(TIMES, one))
        assert studio.ask("GET", "/api/dashboard")[1]["cards"]["running"] == 0
    figures(f"{TIMES} launched runs killed: {dict(ends)}")


def test_every_surface_says_the_same_of_a_run_without_watchers(tmp_path: Path) -> None:
    """Recorder, watchdog and guard killed at once: dead to all who ask, until Studio settles it."""
    settings_in(tmp_path)
    run = CrashRun.new(tmp_path / "home")
    with server(tmp_path, "--no-follow") as studio, started(run, run.program_argv()) as process:
        guard = parent_of(run.wait_for_processes())
        assert studio.ask("GET", "/api/dashboard")[1]["cards"]["running"] == 1
        studio.process.send_signal(signal.SIGSTOP)  # it would settle the run while the others are asked
        for pid in (process.pid, parent_of(guard), guard):
            os.kill(pid, signal.SIGKILL)
        process.wait()
        [listed] = json.loads(li(run.home, "ps", "--json").stdout)["sessions"]
        findings = json.loads(li(run.home, "state", "doctor", "--json").stdout)["findings"]
        studio.process.send_signal(signal.SIGCONT)
        view = studio.ask("GET", f"/api/runs/{run.session_id}")[1]["session"]
        assert (listed["status"], listed["state"]["health"]) == ("running", "process_dead")
        assert [finding["code"] for finding in findings if run.session_id in str(finding)] == ["run.phantom"]
        assert view["state"]["health"] == "process_dead" or view["status"] == "failed"  # Studio may have settled it
        assert studio.ask("GET", "/api/dashboard")[1]["cards"]["running"] == 0
        wait_until(lambda: (run.row() or {})["status"] == "failed", SECONDS)
        for pid in run.processes():  # the one that has neither parent nor environment
            os.kill(pid, signal.SIGKILL)
        killed = li(run.home, "kill", run.session_id)
        assert "had ended" in killed.stderr
    assert li(run.home, "ps").stdout == ""
