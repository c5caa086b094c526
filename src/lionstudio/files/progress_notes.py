"""Progress of long jobs for other processes to show: one small file per job in the folder `working` of the home.

The note of a process that is gone is ignored, and removed when the next job starts.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.system.json_read import read_object
from lionstudio.system.procfs import find_start_ticks
from lionstudio.system.safe_read import list_folder

FOLDER = "working"
_EVERY = 0.5  # seconds between two writes: the job matters, not its note
_MOST_BYTES = 10_000
_MOST_NOTES = 1_000


class Progress(NamedTuple):
    """A job and its progress; a total of 0 is unknown."""

    id: str
    what: str
    pid: int
    done: int
    total: int
    began_at: float
    told_at: float


class ProgressNote:
    """The note of one job: use as a context manager and call `update`."""

    def __init__(self, home: str, what: str, total: int = 0) -> None:
        self._folder = os.path.join(home, FOLDER)
        self._what, self._total = what, total
        self._began, self._written = time.time(), 0.0
        self._id = f"{os.getpid()}-{_start_of(os.getpid())}-{id(self)}"

    def __enter__(self) -> ProgressNote:
        with suppress(OSError):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            _remove_old(self._folder)
        self._write(0)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            os.unlink(self._path())

    def update(self, done: int, total: int | None = None) -> None:
        """Write the progress, unless it was written a moment ago."""
        self._total = self._total if total is None else total
        if time.monotonic() - self._written >= _EVERY:
            self._write(done)

    def _write(self, done: int) -> None:
        """Replace the file as a whole, so that readers never see a part; a full disk costs only the note."""
        self._written = time.monotonic()
        facts = {
            "what": self._what,
            "pid": os.getpid(),
            "done": done,
            "total": self._total,
            "began_at": self._began,
            "told_at": time.time(),
        }
        with suppress(OSError):
            fresh = f"{self._path()}.new"
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            with open(descriptor, "w", encoding="utf-8") as file:
                json.dump(facts, file)
            os.replace(fresh, self._path())

    def _path(self) -> str:
        return os.path.join(self._folder, f"{self._id}.json")


def list_progress(home: str) -> list[Progress]:
    """List the running jobs, the oldest first."""
    folder = os.path.join(home, FOLDER)
    try:
        names = [item.name for item in list_folder(folder)][:_MOST_NOTES]
    except LionError:
        return []
    notes = [_read(folder, name) for name in names if name.endswith(".json") and _is_alive(name)]
    return sorted((note for note in notes if note is not None), key=lambda note: note.began_at)


def _read(folder: str, name: str) -> Progress | None:
    try:
        value = read_object(os.path.join(folder, name), most=_MOST_BYTES, root=folder)
        return Progress(
            name.removesuffix(".json"),
            str(value["what"])[:200],
            _count(value["pid"]),
            _count(value["done"]),
            _count(value["total"]),
            float(value["began_at"]),
            float(value["told_at"]),
        )
    except (LionError, KeyError, TypeError, ValueError):
        return None


def _count(value: Any) -> int:
    return max(0, int(value))


def _remove_old(folder: str) -> None:
    for item in list_folder(folder)[:_MOST_NOTES]:
        if not _is_alive(item.name):
            os.unlink(item.path)


def _is_alive(name: str) -> bool:
    """Tell whether the pid in a note's name still is the process that wrote it."""
    pid, _, rest = name.partition("-")
    start = rest.partition("-")[0]
    return pid.isdecimal() and len(pid) < 11 and _start_of(int(pid)) == start


def _start_of(pid: int) -> str:
    """Return the start of a process as text that a later process with the same pid does not share."""
    ticks = find_start_ticks(pid)
    if ticks is not None:
        return str(ticks)
    if os.path.isdir("/proc/self"):
        return "gone"
    try:
        os.kill(pid, 0)  # sends nothing: without /proc, a pid that is in use must suffice
    except OSError:
        return "gone"
    return "there"
