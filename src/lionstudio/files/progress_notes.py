"""Long work that goes on somewhere, told to whoever looks: one small file a work in `working` of the home.

A note of a process that is gone is no work any more; it is passed over, and removed by the next work that begins.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.system.json_read import read_object
from lionstudio.system.safe_read import list_folder

FOLDER = "working"
_EVERY = 0.5  # seconds between two notes: the work matters, not the note
_MOST_BYTES = 10_000
_MOST_NOTES = 1_000


class Progress(NamedTuple):
    """What goes on, and how far it is; a total of 0 is not known."""

    id: str
    what: str
    pid: int
    done: int
    total: int
    began_at: float
    told_at: float


class ProgressNote:
    """The note of one work: use as a context manager, and `tell` how far it is."""

    def __init__(self, home: str, what: str, total: int = 0) -> None:
        self._folder = os.path.join(home, FOLDER)
        self._what, self._total = what, total
        self._began, self._told = time.time(), 0.0
        self._id = f"{os.getpid()}-{_ticks(os.getpid())}-{id(self)}"

    def __enter__(self) -> ProgressNote:
        with suppress(OSError):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            _remove_old(self._folder)
        self._write(0)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            os.unlink(self._path())

    def tell(self, done: int, total: int | None = None) -> None:
        """Note how far it is, unless that was noted just now."""
        self._total = self._total if total is None else total
        if time.monotonic() - self._told >= _EVERY:
            self._write(done)

    def _write(self, done: int) -> None:
        """Replaced as a whole, so that nobody reads half of it; a disk that takes none costs only the note."""
        self._told = time.monotonic()
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
    """What goes on now, the oldest first."""
    folder = os.path.join(home, FOLDER)
    try:
        names = [item.name for item in list_folder(folder)][:_MOST_NOTES]
    except LionError:
        return []
    found = [_read(folder, name) for name in names if name.endswith(".json") and _is_alive(name)]
    return sorted((work for work in found if work is not None), key=lambda work: work.began_at)


def _read(folder: str, name: str) -> Progress | None:
    try:
        given = read_object(os.path.join(folder, name), most=_MOST_BYTES, root=folder)
        return Progress(
            name.removesuffix(".json"),
            str(given["what"])[:200],
            _whole(given["pid"]),
            _whole(given["done"]),
            _whole(given["total"]),
            float(given["began_at"]),
            float(given["told_at"]),
        )
    except (LionError, KeyError, TypeError, ValueError):
        return None


def _whole(value: Any) -> int:
    return max(0, int(value))


def _remove_old(folder: str) -> None:
    for item in list_folder(folder)[:_MOST_NOTES]:
        if not _is_alive(item.name):
            os.unlink(item.path)


def _is_alive(name: str) -> bool:
    """Whether the process that a note names is the one that wrote it."""
    pid, _, rest = name.partition("-")
    began = rest.partition("-")[0]
    return pid.isdecimal() and len(pid) < 11 and _ticks(int(pid)) == began


def _ticks(pid: int) -> str:
    """When a process began, in words that another one of the same number does not share."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        pass
    if os.path.isdir("/proc/self"):
        return "gone"
    try:
        os.kill(pid, 0)  # signals nothing: elsewhere than on Linux a number that is in use must do
    except OSError:
        return "gone"
    return "there"
