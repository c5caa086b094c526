"""The ancestors of a process, and the agent among them. Linux only.

An agent's tree is everything below a guard (`watchdog_process.py`): the guard adopts orphans, so a process stays in the
tree when it forks twice, starts a session of its own or clears its environment.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from lionstudio.system.procfs import find_uid, read_argv, read_environ, read_stat
from lionstudio.system.session_processes import VARIABLE
from lionstudio.system.watchdog import WATCHDOG_CODE

_MOST = 1000  # ancestors
_ATTEMPTS = 5  # a process of the chain may end while we read it
_PTS_MAJORS = range(136, 144)


class AncestorProcess(NamedTuple):
    pid: int
    start_ticks: int
    name: str
    terminal: str | None
    kernel_session: int  # the id of setsid(2), not a run


def own_pid() -> int:
    """Our pid as /proc shows it: another one than getpid() when /proc belongs to an outer pid namespace."""
    try:
        return int(os.readlink("/proc/self"))
    except (OSError, ValueError):
        return os.getpid()


def ancestors_of(pid: int) -> list[AncestorProcess] | None:
    """The process and its ancestors, nearest first; None when they cannot be read completely."""
    for _ in range(_ATTEMPTS):
        chain = _read_chain(pid)
        if chain is not None:
            return chain
    return None


def _read_chain(pid: int) -> list[AncestorProcess] | None:
    chain: list[AncestorProcess] = []
    while pid > 0 and len(chain) < _MOST:
        try:
            fields = read_stat(pid)
            name, terminal = _name(pid), _terminal(int(fields[4]))
            process = AncestorProcess(pid, int(fields[19]), name, terminal, int(fields[3]))
        except (OSError, ValueError, IndexError):
            return None
        # a parent is never younger than its child: the pid passed to another process meanwhile
        if chain and process.start_ticks > chain[-1].start_ticks:
            return None
        chain.append(process)
        pid = int(fields[1])
    return chain if pid == 0 else None


def find_agent(chain: list[AncestorProcess]) -> str | None:
    """The evidence that a process belongs to an agent's tree, None when there is none."""
    for process in chain:
        if _is_guard(process):
            return f"process {process.pid} guards a program that li runs"
        if any(entry.startswith(f"{VARIABLE}=".encode()) for entry in read_environ(process.pid)):
            return f"{VARIABLE} is set in process {process.pid} ({process.name})"
    return None


def find_hidden_agent(chain: list[AncestorProcess], uid: int) -> str | None:
    """The evidence that a process whose descriptors we may not read belongs to an agent's tree of this user.

    Watchdogs and guards hide their descriptors too and are not callers. They share a kernel session, and a program is
    never in that of its guard, whatever it calls itself.
    """
    own = chain[0].kernel_session
    others = [
        process
        for process in chain
        if not _is_guard(process) or (process.kernel_session != own and find_uid(process.pid) == uid)
    ]
    return find_agent(others)


def has_ancestry() -> bool:
    """Whether this system can tell the ancestors of a process."""
    return sys.platform.startswith("linux")


def _is_guard(process: AncestorProcess) -> bool:
    return WATCHDOG_CODE in read_argv(process.pid)


def _name(pid: int) -> str:
    with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
        return file.read().strip()


def _terminal(number: int) -> str | None:
    """The name of a controlling terminal from its device number."""
    if number == 0:
        return None
    major, minor = (number >> 8) & 0xFFF, (number & 0xFF) | ((number >> 12) & 0xFFF00)
    if major in _PTS_MAJORS:
        return f"pts/{(major - _PTS_MAJORS.start) * 256 + minor}"
    return f"tty{minor}" if major == 4 else f"device {major}:{minor}"
