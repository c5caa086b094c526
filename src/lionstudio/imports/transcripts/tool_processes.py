"""Running programs of a tool, from /proc: they tell whether a conversation may still be written to."""

from __future__ import annotations

import os
import time
from functools import lru_cache
from typing import NamedTuple

from lionstudio.system.procfs import find_cwd, find_started_at, list_pids, read_argv

IDLE_SECONDS = 300.0  # a conversation that is silent for longer counts as ended
_CACHE_SECONDS = 2.0
_CLOCK_SECONDS = 1.0  # the start of a process is known in ticks, the change of a file by another clock


class ToolProcess(NamedTuple):
    """A process of a tool; its folder is None where the system hides it."""

    cwd: str | None
    started_at: float


def may_be_running(program: str, cwd: str | None, changed_at: float, now: float) -> bool:
    """False only with proof that the file which changed at this time is not being written to.

    A process that started after the last change did not write it: another conversation, or one that will be seen
    with its first line.
    """
    if now - changed_at > IDLE_SECONDS:
        return False
    processes = _processes(program, int(time.monotonic() / _CACHE_SECONDS))
    if processes is None:
        return True
    folder = None if cwd is None else os.path.realpath(cwd)
    return any(
        process.started_at <= changed_at + _CLOCK_SECONDS and (None in (folder, process.cwd) or folder == process.cwd)
        for process in processes
    )


def forget_processes() -> None:
    """Look at the processes anew at the next question: a program may have ended a moment ago."""
    _processes.cache_clear()


@lru_cache(maxsize=4)
def _processes(program: str, _tick: int) -> tuple[ToolProcess, ...] | None:
    """The processes of a program; None where /proc is missing."""
    pids = list_pids()
    if not pids:
        return None
    processes = (_process(pid) for pid in pids if _is_program(pid, program))
    return tuple(process for process in processes if process is not None)


def _process(pid: int) -> ToolProcess | None:
    """A process; None when it has ended, or when it belongs to another user, who does not write our files."""
    cwd, started_at = find_cwd(pid), find_started_at(pid)
    try:
        is_hidden = cwd is None and os.stat(f"/proc/{pid}").st_uid != os.getuid()
    except OSError:
        return None
    return None if started_at is None or is_hidden else ToolProcess(cwd, started_at)


def _is_program(pid: int, program: str) -> bool:
    # the program itself, or the script that an interpreter runs
    return any(program in os.path.basename(argument) or f"/{program}" in argument for argument in read_argv(pid)[:2])
