"""Find and end the processes a session left running, by the session id in their environment; Linux only.

A recorder keeps its environment from processes of the same user (`make_memory_private`), so it is found by its
arguments. Each process is checked again through a descriptor of its own before it is signalled.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from lionstudio.system.procfs import find_parent, find_uid, list_pids, read_argv, read_environ

T = TypeVar("T")
VARIABLE = "LIONAGI_SESSION_ID"
FROZEN_FILE = "LIONAGI_FROZEN_FILE"  # names the file in which a supervisor says how long it froze the session
_OPTION = "--session-id"


def processes_of(session_id: str) -> set[int]:
    """Return the live processes that were started for a session, without us and our ancestors."""
    ours, pid = set(), os.getpid()
    while pid > 1:
        ours.add(pid)
        pid = find_parent(pid) or 0
    known: dict[int, bool | None] = {}
    return {pid for pid in list_pids() if pid not in ours and _belongs(pid, session_id, known)}


def seen_processes_of(session_id: str) -> list[int]:
    """Return the processes of a session for display, oldest first: one look at all processes serves for a second."""
    return _snapshot(int(time.monotonic())).get(session_id, [])


@lru_cache(maxsize=1)
def _snapshot(_second: int) -> dict[str, list[int]]:
    parents = {pid: parent for pid in sorted(list_pids()) if (parent := find_parent(pid)) is not None}
    known: dict[int, str | None] = {}
    processes: dict[str, list[int]] = {}
    for pid in parents:
        session_id = _inherited(pid, known, lambda pid: next(iter(_sessions_named_by(pid)), None), parents.get)
        if session_id is not None:
            processes.setdefault(session_id, []).append(pid)
    return processes


def _inherited(
    pid: int, known: dict[int, T | None], find_own: Callable[[int], T | None], parent_of: Callable[[int], int | None]
) -> T | None:
    """Return what a process has, or its nearest ancestor that has it: a program may clear its environment.

    `known` has the answers of one look at all processes, so that each is read once. An agent chooses how deep they are.
    """
    value, path = None, []
    while pid > 1:
        if pid in known:
            value = known[pid]
            break
        known[pid] = None  # a pid that was reused meanwhile could make a circle
        path.append(pid)
        if (value := find_own(pid)) is not None:
            break
        pid = parent_of(pid) or 0
    known.update(dict.fromkeys(path, value))
    return value


def end_processes_of(session_id: str, *, grace: float) -> int:
    """Send TERM to all of them and KILL after the grace period; return how many there were."""
    signalled: set[int] = set()
    deadline = time.monotonic() + grace
    while pids := processes_of(session_id):
        late = time.monotonic() >= deadline
        for pid in pids if late else pids - signalled:
            _signal(pid, session_id, signal.SIGKILL if late else signal.SIGTERM)
        signalled |= pids
        if time.monotonic() > deadline + 10:
            break  # stuck in the kernel: no signal can end it
        time.sleep(0.02)
    return len(signalled)


def _signal(pid: int, session_id: str, number: signal.Signals) -> None:
    with suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            if _belongs(pid, session_id, {}):  # the pid may have passed to another process before we held it
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)


def _belongs(pid: int, session_id: str, known: dict[int, bool | None]) -> bool:
    def is_alive(pid: int) -> bool | None:
        return find_parent(pid) is not None if session_id in _sessions_named_by(pid) else None

    return _inherited(pid, known, is_alive, find_parent) is True


def _sessions_named_by(pid: int) -> list[str]:
    """The sessions in the environment of a process, or in the arguments of one of ours that shows no environment."""
    mark = f"{VARIABLE}=".encode()
    environ = read_environ(pid)
    if environ == [b""]:  # also a thread of the kernel, which has no arguments either
        named = [value for option, value in pairwise(read_argv(pid, -1)) if option == _OPTION]
        return named if named and find_uid(pid) == os.geteuid() else []
    # some servers overwrite their environment with their state, and thousands of empty entries follow
    entries = [entry for entry in dict.fromkeys(environ) if entry.startswith(mark)]
    return [entry[len(mark) :].decode("utf-8", "replace") for entry in entries]
