"""Scripts that own a lock and live as long as a test wants; fixtures for the tests of owners and their locks."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lionstudio.system import process_identity
from lionstudio.system.process_identity import Owner

SOURCE = str(Path(process_identity.__file__).parents[2])
LINUX = sys.platform.startswith("linux")

# Each script runs until its standard input is closed, so nothing outlives the test that started it.
PRELUDE = f"""
import json, os, signal, subprocess, sys, time
sys.path.insert(0, {SOURCE!r})
from lionstudio.errors import NotFound
from lionstudio.system.filelock import RunLock
from lionstudio.system.process_identity import Owner, identify, liveness, signal_owner
def tell(*what): print(json.dumps(what), flush=True)
def stay(): sys.stdin.read()
"""
HOLD = "lock = RunLock.take(sys.argv[1]); tell(identify(lock_path=lock.path)); stay()"
IDLE = "tell(identify(lock_path=sys.argv[1])); stay()"
NEW_PIDS = ("unshare", "-rpf", "--mount-proc")

Start = Callable[..., "Script"]


class Script:
    """A Python process that tells one JSON array a line."""

    def __init__(self, body: str, *arguments: str, inside: tuple[str, ...] = ()) -> None:
        self.process = subprocess.Popen(
            [*inside, sys.executable, "-c", PRELUDE + body, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def told(self) -> list[Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, f"the script ended with {self.process.wait()}"
        values: list[Any] = json.loads(line)
        return values

    def owner(self) -> Owner:
        [values] = self.told()
        return Owner(*values)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        # The end of the output is the end of all that inherited it, grandchildren too.
        self.process.stdout.read()
        self.process.stdout.close()
        self.process.wait()


@pytest.fixture
def start() -> Iterator[Start]:
    scripts: list[Script] = []

    def begin(body: str, *arguments: str, inside: tuple[str, ...] = ()) -> Script:
        scripts.append(Script(body, *arguments, inside=inside))
        return scripts[-1]

    yield begin
    for script in scripts:
        if script.process.poll() is None:
            script.process.send_signal(signal.SIGCONT)
        script.end()


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "run" / "s1.lock")


@pytest.fixture(scope="session")
def namespaces() -> None:
    tried = subprocess.run([*NEW_PIDS, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"a new pid namespace is not permitted here: {tried.stderr.strip()}")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> str:
    """An id for this machine, because a container often has none."""
    monkeypatch.setattr(process_identity, "machine_id", lambda: "this one")
    return "this one"


@pytest.fixture
def gone(start: Start, path: str) -> Owner:
    """An owner that was killed; its lock file stays behind."""
    script = start(HOLD, path)
    owner = script.owner()
    script.kill()
    return owner
