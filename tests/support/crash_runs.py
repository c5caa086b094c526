"""Runs to be killed: start them, find every process of theirs, and check that they end in a true state."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.agents import LI, environment
from tests.support.waiting import wait_until

from lionstudio.errors import LionError
from lionstudio.model.ids import new_id
from lionstudio.state.database import reading
from lionstudio.state.sessions import find_session
from lionstudio.system.procfs import list_pids, read_argv

SECONDS = 10.0  # within which a killed run is in a true state
WORK_SECONDS = 60.0  # within which a run that goes on completes, however busy the machine is
FULL = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"
TIMES = int(os.environ.get("LIONAGI_CRASH_TIMES") or (200 if FULL else 4))
_TOGETHER = 2


class CrashRun(NamedTuple):
    """One run; every process that its agent starts has the token in its command line."""

    home: Path
    session_id: str
    token: str

    @classmethod
    def new(cls, home: Path) -> CrashRun:
        return cls(home, new_id(), f"1000.{random.randrange(10**9, 10**10)}")

    def script_argv(self, prompt: str, *more: str) -> list[str]:
        return [LI, "agent", "script", prompt, "--session-id", self.session_id, *more]

    def program_argv(self) -> list[str]:
        """An agent program with a child, one in a session of its own, and an orphan without environment."""
        sleep = f"sleep {self.token}"
        shell = f"echo one; env -i sh -c '({sleep} &)'; setsid {sleep} & {sleep}"
        return [LI, "agent", "command", "go", "--session-id", self.session_id, "--", "sh", "-c", shell]

    def wait_for_processes(self) -> int:
        """Wait until the agent program has started everything; return its pid."""
        wait_until(lambda: len(self.processes()) >= 4)
        # a copy of the shell is about to become `setsid`
        return min((pid for pid, command in self.processes().items() if "; setsid" in command), key=start_of)

    def row(self) -> dict[str, Any] | None:
        """The session, None before it exists."""
        try:
            with reading(str(self.home / "state.db")) as conn:
                session = find_session(conn, self.session_id)
        except LionError:
            return None
        return None if session is None else session.to_dict("json")

    def pause_at_random(self) -> None:
        """Wait for some time of its life: often until it has begun, however slow the machine is."""
        if random.random() < 0.8:
            wait_until(lambda: self.row() is not None)
            pause(0.5)
        else:
            pause()

    def is_recorded(self) -> bool:
        """Whether a process of ours works on it: `li agent`, or one that settles it."""
        return any(self.session_id in " ".join(read_argv(pid)) for pid in list_pids())

    def processes(self) -> dict[int, str]:
        """The live processes that the agent started."""
        return processes_with(self.token)

    def has_ended(self) -> bool:
        row = self.row()
        return (row is None or row["status"] != "running") and not self.processes()

    def assert_ends(self, seconds: float = SECONDS) -> dict[str, Any] | None:
        """Wait until it is in a final state without any process; return its row, None when it never began."""
        try:
            wait_until(self.has_ended, seconds)
        except AssertionError:
            row = self.row()
            status = None if row is None else row["status"]
            left = self.processes()
            for pid in left:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            raise AssertionError(f"after {seconds} s {self.session_id} is {status}, and {left} are left") from None
        return self.row()


def processes_with(token: str) -> dict[int, str]:
    processes = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            command = Path(f"/proc/{name}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            # the agent's prompt, which has the token as well, is in the command line of `li`
            if f"sleep {token}" in command and " agent " not in command:
                processes[int(name)] = command
    return processes


def repeat(times: int, one: Callable[[int], Any]) -> list[Any]:
    """Do it that often, a few at a time."""
    with ThreadPoolExecutor(_TOGETHER) as pool:
        return list(pool.map(one, range(times)))


@contextmanager
def started(run: CrashRun, argv: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    null = subprocess.DEVNULL
    process = subprocess.Popen(
        argv, env=environment(run.home), cwd=run.home, stdin=null, stdout=null, stderr=null, start_new_session=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def pause(longest: float = 2.0) -> None:
    time.sleep(random.uniform(0.0, longest))


def start_of(pid: int) -> tuple[int, int]:
    return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19]), pid


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
