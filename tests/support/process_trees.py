"""Which processes are below this one, and which of some still run."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def _stat(pid: int) -> list[bytes]:
    return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()


def still_alive(pids: set[int]) -> set[int]:
    """Those that run; a zombie does not."""
    found = set()
    for pid in pids:
        with suppress(OSError):
            if _stat(pid)[0] not in (b"Z", b"X"):
                found.add(pid)
    return found


def everything_below(pid: int | None = None) -> set[int]:
    """All descendants of a process, of this one if none is named."""
    children: dict[int, list[int]] = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            children.setdefault(int(_stat(int(entry))[1]), []).append(int(entry))
    found: set[int] = set()
    waiting = [os.getpid() if pid is None else pid]
    while waiting:
        new = set(children.get(waiting.pop(), [])) - found
        found |= new
        waiting += new
    return found
