"""Find and end the processes a session left running, by the session id in their environment; Linux only.

Each process is checked again through a descriptor of its own before it is signalled.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from lionstudio.system.procfs import find_parent, list_pids, read_environ

VARIABLE = "LIONAGI_SESSION_ID"


def processes_of(session_id: str) -> set[int]:
    """Return the live processes that were started for a session, without us and our ancestors."""
    ours, pid = set(), os.getpid()
    while pid > 1:
        ours.add(pid)
        pid = find_parent(pid) or 0
    return {pid for pid in list_pids() if pid not in ours and _belongs(pid, session_id)}


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
            if _belongs(pid, session_id):  # the pid may have passed to another process before we held it
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)


def _belongs(pid: int, session_id: str) -> bool:
    """Check a process and its ancestors: a program may clear its environment before it starts another."""
    mark = f"{VARIABLE}={session_id}".encode()
    while pid > 1:
        if mark in read_environ(pid):
            return find_parent(pid) is not None
        pid = find_parent(pid) or 0
    return False
