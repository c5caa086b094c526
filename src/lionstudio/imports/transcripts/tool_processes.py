"""Whether a program of a tool may be at work on a conversation: what the system's list of processes says."""

from __future__ import annotations

import os
import time
from functools import lru_cache

from lionstudio.system.procfs import find_cwd, list_pids, read_argv

SILENT = 300.0  # seconds without a word after which a conversation counts as ended
_ASK_AGAIN = 2.0


def may_be_running(name: str, cwd: str | None, changed_at: float, now: float) -> bool:
    """Whether a file that changed at a time may still be written; only proof of the opposite says no."""
    if now - changed_at > SILENT:
        return False
    folders = _folders_of(name, int(time.monotonic() / _ASK_AGAIN))
    return folders is None or None in folders or cwd is None or os.path.realpath(cwd) in folders


@lru_cache(maxsize=4)
def _folders_of(name: str, _tick: int) -> frozenset[str | None] | None:
    """The folders in which a program runs, None among them for one that hides it; None where no list is kept."""
    pids = list_pids()
    return frozenset(find_cwd(pid) for pid in pids if _is_program(pid, name)) if pids else None


def _is_program(pid: int, name: str) -> bool:
    # the program itself, or the script that an interpreter runs
    return any(name in os.path.basename(arg) or f"/{name}" in arg for arg in read_argv(pid)[:2])
