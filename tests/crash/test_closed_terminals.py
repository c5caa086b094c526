"""Runs whose terminal is closed, or that a signal ends: the right status every time, and no process is left."""

from __future__ import annotations

import fcntl
import os
import pty
import shlex
import signal
import subprocess
import sys
import termios
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.crash.conftest import Figures
from tests.support.agents import environment
from tests.support.crash_runs import TIMES, CrashRun, pause, repeat, started
from tests.support.waiting import wait_until

pytestmark = [
    pytest.mark.crash,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]
SCRIPT = "\n".join(f"@say line {number}\n@sleep 0.02" for number in range(500))
ABORTED = ("aborted", ["run.aborted.interrupt"])


def open_terminal(run: CrashRun, argv: list[str]) -> tuple[subprocess.Popen[bytes], int]:
    """Start a shell on a terminal of its own, which runs the command as a terminal window does."""
    terminal, child_terminal = pty.openpty()
    shell = subprocess.Popen(
        # interactive: it forwards a hang-up to its jobs, and the kernel sends one as well
        ["bash", "--norc", "-i"],
        env=environment(run.home, TERM="xterm"),
        cwd=run.home,
        stdin=child_terminal,
        stdout=child_terminal,
        stderr=child_terminal,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(child_terminal)
    command = run.home / f"{run.token}.sh"  # a terminal takes lines of 4 kB
    command.write_text(shlex.join(argv) + "\n")
    os.write(terminal, f". {command}\n".encode())
    return shell, terminal


def has_begun(run: CrashRun, terminal: int) -> bool:
    read_all(terminal)
    row = run.row()
    return row is not None and row["message_count"] > 1


def read_all(terminal: int) -> None:
    """Read what the terminal shows; a full one would stop the command."""
    os.set_blocking(terminal, False)
    while True:
        try:
            if not os.read(terminal, 65536):
                return
        except OSError:
            return


@pytest.mark.parametrize("kind", ["script", "program"])
def test_closed_terminal(kind: str, tmp_path: Path, figures: Figures) -> None:
    def one(_: int) -> str:
        run = CrashRun.new(tmp_path)
        shell, terminal = open_terminal(run, run.script_argv(SCRIPT) if kind == "script" else run.program_argv())
        wait_until(lambda: has_begun(run, terminal))
        pause(0.3)
        os.close(terminal)
        shell.wait(30)
        row = run.assert_ends()
        assert row is not None
        assert (row["status"], row["reason_codes"]) == ABORTED, row
        return str(row["status"])

    figures(f"{TIMES} closed terminals ({kind}): {dict(Counter(repeat(TIMES, one)))}")


def send(*numbers: int) -> Callable[[subprocess.Popen[bytes]], None]:
    def act(process: subprocess.Popen[bytes]) -> None:
        for number in numbers:
            process.send_signal(number)
            pause(0.05)

    return act


ENDS: dict[str, tuple[Callable[[subprocess.Popen[bytes]], None], tuple[str, list[str]]]] = {
    "Ctrl-C": (send(signal.SIGINT), ABORTED),
    "Ctrl-C twice": (send(signal.SIGINT, signal.SIGINT), ABORTED),
    "hang-up twice": (send(signal.SIGHUP, signal.SIGHUP), ABORTED),
    "hang-up while suspended": (send(signal.SIGTSTP, signal.SIGHUP, signal.SIGCONT), ABORTED),
    "TERM": (send(signal.SIGTERM), ("cancelled", ["run.cancelled.orchestrator"])),
    "TERM, hang-up, TERM": (
        send(signal.SIGTERM, signal.SIGHUP, signal.SIGTERM),
        ("cancelled", ["run.cancelled.orchestrator"]),
    ),
    "Ctrl-C, then kill -9": (send(signal.SIGINT, signal.SIGKILL), ABORTED),
}


@pytest.mark.parametrize("name", ENDS)
def test_signals(name: str, tmp_path: Path, figures: Figures) -> None:
    act, expected = ENDS[name]

    def one(_: int) -> None:
        run = CrashRun.new(tmp_path)
        with started(run, run.program_argv()) as process:
            run.wait_for_processes()
            act(process)
            row = run.assert_ends()
            process.wait(20)
        assert row is not None
        assert (row["status"], row["reason_codes"]) == expected

    repeat(TIMES, one)
    figures(f"{TIMES} times {name}: {expected[0]}")


def test_suspended_run_suspends_its_agent(tmp_path: Path) -> None:
    run = CrashRun.new(tmp_path)

    def states() -> set[str]:
        return {Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0].decode() for pid in pids}

    with started(run, run.program_argv()) as process:
        run.wait_for_processes()
        pids = [process.pid, *run.processes()]
        process.send_signal(signal.SIGTSTP)
        wait_until(lambda: states() == {"T"})
        process.send_signal(signal.SIGCONT)
        wait_until(lambda: "T" not in states())
        process.terminate()
        assert run.assert_ends() is not None


def test_closed_output_does_not_end_the_run(tmp_path: Path) -> None:
    run = CrashRun.new(tmp_path)
    command = shlex.join(run.script_argv("@say one\n@run sleep 0.3\n@say two\n@say three"))
    subprocess.run(["sh", "-c", f"{command} | head -1"], env=environment(tmp_path), check=True, capture_output=True)
    row = run.assert_ends()
    assert row is not None
    assert (row["status"], row["message_count"]) == ("completed", 6)


def test_deadline(tmp_path: Path) -> None:
    run = CrashRun.new(tmp_path)
    argv = run.program_argv()
    argv[3:3] = ["--timeout", "1"]
    with started(run, argv) as process:
        process.wait(30)
        row = run.assert_ends()
    assert row is not None
    assert (row["status"], row["reason_codes"], process.returncode) == ("timed_out", ["run.timed_out.deadline"], 124)
