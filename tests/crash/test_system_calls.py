"""Kill or failure at the Nth system call that writes, injected by strace, for every kind of write.

Short: some N of each; `make crash` goes through all of them.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import apsw
import pytest
from tests.support.children import Done, run
from tests.support.invariants import assert_whole
from tests.support.old_files import add_old_sessions, make_v1

from lionstudio.state.database import Database

FULL = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"
SOME = 3  # how many calls of a work the short version lets fail, and how many it dies at
MANY = 60  # how many the long version lets fail; it dies at every one
CALLS = ("pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "rename")
QUIET = ("-f", "-qq")  # no --seccomp-bpf: a signal would not be delivered then


def why_not() -> str | None:
    if shutil.which("strace") is None:
        return "strace is not installed (Debian package: strace)"
    tried = subprocess.run(["strace", *QUIET, "-o/dev/null", "-e", "trace=pwrite64", "true"], capture_output=True)
    return f"strace may not trace here: {tried.stderr.decode().strip()}" if tried.returncode else None


REASON = why_not()
pytestmark = [pytest.mark.crash, pytest.mark.timeout(3000), pytest.mark.skipif(REASON is not None, reason=str(REASON))]


class Work(NamedTuple):
    """A program of workload.py, how much of it, and the file it starts from."""

    program: str
    n: int
    prepare: Callable[[Path], object]


def nothing(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)


def empty(path: Path) -> None:
    Database(str(path)).close()


def old_sessions(path: Path) -> None:
    add_old_sessions(path, sessions=10, messages=3)


WORKS = {
    "create": Work("opening", 1, nothing),
    "append": Work("synchronous", 2, empty),
    "append grouped": Work("grouped", 1, empty),
    "begin and end sessions": Work("sessions", 1, empty),
    "fork": Work("forking", 1, empty),
    "migrate": Work("opening", 1, lambda path: make_v1(path, sessions=2, messages=5)),
    "prune": Work("pruning", 1, old_sessions),
    "backup": Work("backing_up", 1, old_sessions),
    "vacuum": Work("vacuuming", 1, old_sessions),
}


class Room:
    """A folder with the file of one work, put back before each try."""

    def __init__(self, folder: Path, work: Work) -> None:
        self.work = work
        self.template = folder / "template"
        self.path = folder / "tried" / "state.db"
        self.template.mkdir()
        work.prepare(self.template / "state.db")

    def under_strace(self, *arguments: str, output: str = "/dev/null") -> Done:
        """Do the work on a fresh copy of the file."""
        shutil.rmtree(self.path.parent, ignore_errors=True)
        shutil.copytree(self.template, self.path.parent)
        return run(self.work.program, self.path, self.work.n, inside=("strace", *QUIET, "-o", output, *arguments))

    def calls(self) -> list[tuple[str, int]]:
        """Every system call of the work that changes a file: its name, and which of that name it is."""
        log = self.template.parent / "log"
        done = self.under_strace("-e", f"trace={','.join(CALLS)}", output=str(log))
        assert done.code == 0, done
        assert all(line.startswith("Upgrading ") for line in done.errors.splitlines()), done
        text = log.read_text()
        return [(call, n) for call in CALLS for n in range(1, text.count(f" {call}(") + 1)]


@pytest.fixture
def room(tmp_path: Path, request: pytest.FixtureRequest) -> Room:
    return Room(tmp_path, WORKS[request.param])


T = TypeVar("T")


def some(cases: list[T], most: int) -> list[T]:
    """All, or a random sample."""
    return cases if len(cases) <= most else random.sample(cases, most)


@pytest.mark.parametrize("room", WORKS, indirect=True)
def test_kill_at_a_system_call(room: Room, figures: Callable[[str], None]) -> None:
    calls = room.calls()
    tried = some(calls, len(calls) if FULL else SOME)
    for call, n in tried:
        killed = room.under_strace("-e", f"inject={call}:signal=KILL:when={n}")
        assert killed.code == -signal.SIGKILL, (call, n, killed)
        survives(room, killed)
    figures(f"killed at {len(tried)} of {len(calls)} calls, 0 acknowledged lost")


def survives(room: Room, done: Done) -> None:
    """Every acknowledged write is stored, and the work can run again."""
    assert_whole(room.path, done.events, loose=True)
    check_copies(room.path)
    if any("message" in event for event in done.events):
        return
    for copy in room.path.parent.glob("*.copy?"):
        copy.unlink()  # it was complete, but not acknowledged
    again = run(room.work.program, room.path, room.work.n)
    assert (again.code, again.errors) == (0, ""), again
    assert_whole(room.path, again.events, loose=True)
    check_copies(room.path)
    assert [name for name in os.listdir(room.path.parent) if ".partial" in name] == []


def check_copies(path: Path) -> None:
    """Every file with the name of a copy is a complete copy."""
    for copy in [*path.parent.glob("*.bak"), *path.parent.glob("*.copy?")]:
        connection = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT count(*) > 0 FROM messages").fetchall() == [(1,)]
        connection.close()


# The call that fails and how; an unlink that fails leaves an empty log behind, which loses nothing.
FAULTS = {
    "pwrite64": ("ENOSPC", "EIO"),
    "fdatasync": ("EIO",),
    "fsync": ("EIO",),
    "ftruncate": ("EIO",),
    "rename": ("EIO", "ENOSPC"),
}


@pytest.mark.parametrize("room", WORKS, indirect=True)
def test_failing_system_call(room: Room, figures: Callable[[str], None]) -> None:
    calls = [(call, n) for call, n in room.calls() if call in FAULTS]
    faults = [
        f"{call}:error={error}:when={n}{more}" for call, n in calls for error in FAULTS[call] for more in ("", "+")
    ]
    tried = some(faults, MANY if FULL else SOME)
    for fault in tried:
        failed = room.under_strace("-e", f"inject={fault}")
        refuses_in_our_words(fault, failed)
        survives(room, failed)
    figures(f"{len(tried)} of {len(faults)} failures, 0 acknowledged lost")


@pytest.mark.parametrize("fault", ["pwrite64:error=ENOSPC", "pwrite64:error=EIO", "fdatasync:error=EIO"])
@pytest.mark.parametrize("room", ["append", "append grouped"], indirect=True)
def test_broken_disk_acknowledges_nothing(room: Room, fault: str) -> None:
    failed = room.under_strace("-e", f"inject={fault}")
    assert failed.code == 1
    assert [event.get("error") for event in failed.events] == ["StorageFailed"]
    refuses_in_our_words(fault, failed)
    survives(room, failed)


def refuses_in_our_words(fault: str, done: Done) -> None:
    """Either all of it was done, or one sentence reports the error."""
    assert "Traceback" not in done.errors, (fault, done)
    errors = [event for event in done.events if "error" in event]
    if done.code == 0:
        assert errors == []
    else:
        assert done.code == 1, (fault, done)
        assert [event["error"] for event in errors] == ["StorageFailed"], (fault, done)
        sentences = [line for line in done.errors.splitlines() if not line.startswith("Upgrading ")]
        assert len(sentences) == 1, (fault, done)
