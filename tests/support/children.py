"""Starting the programs of workload.py: one as a fresh process, or many that are forked at the same moment."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest
from tests.support.hostile_folders import NOBODY

# The capability reads the folders of the interpreter that tests run with, but not the memory of processes.
_CAPABILITY = "-all,+dac_read_search"
_SETPRIV = (
    "setpriv",
    f"--reuid={NOBODY}",
    f"--regid={NOBODY}",
    "--clear-groups",
    f"--bounding-set={_CAPABILITY}",
    f"--inh-caps={_CAPABILITY}",
    f"--ambient-caps={_CAPABILITY}",
)
ROOT = Path(__file__).resolve().parents[2]
Event = dict[str, Any]
PYTHON = (sys.executable, "-W", "error")


class Done(NamedTuple):
    """How a child ended and what it told; `code` is negative for a signal."""

    code: int
    events: list[Event]
    errors: str


def environment(**more: str) -> dict[str, str]:
    """Ours, without settings of the person who runs the tests."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LIONAGI_")}
    # a width that whoever runs the tests has set would hide that of the terminal under test
    kept = {name: value for name, value in ours.items() if name not in ("COLUMNS", "LINES")}
    return kept | {"LIONAGI_FOLLOW_TRANSCRIPTS": "false"} | more  # a test that wants it says so


def unprivileged() -> tuple[str, ...]:
    """The command inside which programs run as a user other than root; empty for such a user."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None or subprocess.run([*_SETPRIV, "true"], capture_output=True).returncode:
        pytest.skip("setpriv cannot become another user here")
    return _SETPRIV


def run(
    work: str,
    path: Path,
    n: int = 1,
    *,
    inside: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    **options: Any,
) -> Done:
    """Do one work in a process of its own, to its end."""
    command = [*inside, *PYTHON, "-m", "tests.support.workload", work, str(path), str(n), json.dumps(options)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(**(env or {})), capture_output=True, text=True, timeout=100
    )
    return Done(done.returncode, parse(done.stdout), done.stderr)


def parse(output: str) -> list[Event]:
    """The events in an output; a last line that was cut by a kill is none."""
    whole, _, _ = output.rpartition("\n")
    return [json.loads(line) for line in whole.splitlines()]


class WorkerPool:
    """Many workers forked by one small process, so that starting one costs milliseconds and not a new interpreter.

    The supervisor reaps every worker before it reports its end, hence after all events of the worker.
    """

    def __init__(self) -> None:
        self._supervisor = subprocess.Popen(
            [*PYTHON, "-m", "tests.support.worker_pool"],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.events: list[Event] = []
        self.codes: list[int] = []
        self._answers: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        # reads all the time: workers must never wait for room in the pipe
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def start(self, works: Sequence[tuple[str, str, int, Mapping[str, Any]]]) -> list[int]:
        """Begin (work, path, n, options) all at one moment; their pids."""
        self._order(start=works)
        pids: list[int] = self._until("started")["started"]
        return pids

    def kill(self, pid: int) -> None:
        """End a worker by SIGKILL; when this returns, `events` has everything it told."""
        self._order(kill=pid)
        self._until("ended")

    def wait(self, pids: Sequence[int]) -> None:
        """Let workers come to their end."""
        for pid in pids:
            self._order(wait=pid)
            self._until("ended")

    def _order(self, **order: Any) -> None:
        _pipe(self._supervisor.stdin).write(json.dumps(order) + "\n")
        _pipe(self._supervisor.stdin).flush()

    def _until(self, key: str) -> Event:
        answer = self._answers.get(timeout=100)
        assert answer is not None, f"the supervisor ended with {self._supervisor.wait()}"
        assert key in answer, answer
        return answer

    def _read(self) -> None:
        for line in _pipe(self._supervisor.stdout):
            event = json.loads(line)
            if "ended" in event:
                self.codes.append(event["code"])
            if "ended" in event or "started" in event:
                self._answers.put(event)
            else:
                self.events.append(event)
        self._answers.put(None)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        _pipe(self._supervisor.stdin).close()  # it kills and reaps what is left, then ends
        self._reader.join()
        _pipe(self._supervisor.stdout).close()
        self._supervisor.wait()


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream
