"""The lock of the process that follows a tool's home for a database; it also says who follows, and since when."""

from __future__ import annotations

import hashlib
import json
import os
import time
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.settings import local_folder
from lionstudio.system.filelock import RunLock, lock_state
from lionstudio.system.json_read import read_object

_PREFIX = "follow-"
_MOST_BYTES = 10_000


class FollowerProcess(NamedTuple):
    """The process that follows a tool's home."""

    tool: str
    root: str
    pid: int
    since: float


def take_follow_lock(db_path: str, tool: str, root: str) -> RunLock:
    """Take the lock; Busy when another process follows this home for this database."""
    lock = RunLock.take(_path(db_path, tool, root))
    with open(lock.path, "w", encoding="utf-8") as file:
        json.dump({"pid": os.getpid(), "since": time.time(), "tool": tool, "root": root}, file)
    return lock


def find_follower(db_path: str, tool: str, root: str) -> FollowerProcess | None:
    """The process that follows a tool's home now, None without one."""
    return _read(_path(db_path, tool, root))


def list_followers(db_path: str) -> list[FollowerProcess]:
    """Every process that follows a tool for this database."""
    folder = _folder(db_path)
    try:
        names = sorted(name for name in os.listdir(folder) if name.startswith(_PREFIX) and name.endswith(".lock"))
    except OSError:
        return []
    followers = (_read(os.path.join(folder, name)) for name in names)
    return [follower for follower in followers if follower is not None]


def _read(path: str) -> FollowerProcess | None:
    if lock_state(path) != "held":
        return None
    try:
        facts = read_object(path, most=_MOST_BYTES, root=os.path.dirname(path))
        return FollowerProcess(str(facts["tool"]), str(facts["root"]), int(facts["pid"]), float(facts["since"]))
    except (LionError, KeyError, TypeError, ValueError):
        return None  # its holder is about to write it


def _path(db_path: str, tool: str, root: str) -> str:
    digest = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return os.path.join(_folder(db_path), f"{_PREFIX}{tool}-{digest}.lock")


def _folder(db_path: str) -> str:
    return os.path.join(local_folder(db_path), "run")
