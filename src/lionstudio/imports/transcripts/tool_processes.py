"""Running programs of a tool, from /proc: they tell whether a conversation may still be written to."""

from __future__ import annotations

import os
import time
from functools import lru_cache

from lionstudio.system.procfs import find_cwd, list_pids, read_argv

IDLE_SECONDS = 300.0  # a conversation that is silent for longer counts as ended
_CACHE_SECONDS = 2.0


def may_be_running(program: str, cwd: str | None, changed_at: float, now: float) -> bool:
    """False only with proof that the file which changed at this time is not being written to."""
    if now - changed_at > IDLE_SECONDS:
        return False
    folders = _working_folders(program, int(time.monotonic() / _CACHE_SECONDS))
    return folders is None or None in folders or cwd is None or os.path.realpath(cwd) in folders


@lru_cache(maxsize=4)
def _working_folders(program: str, _tick: int) -> frozenset[str | None] | None:
    """The working folders of a program's processes, None for a hidden one; None alone where /proc is missing."""
    pids = list_pids()
    return frozenset(find_cwd(pid) for pid in pids if _is_program(pid, program)) if pids else None


def _is_program(pid: int, program: str) -> bool:
    # the program itself, or the script that an interpreter runs
    return any(program in os.path.basename(argument) or f"/{program}" in argument for argument in read_argv(pid)[:2])
