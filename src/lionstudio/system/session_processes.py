"""What a run has left running, found by the session's id in its environment; Linux only, elsewhere nothing is found.

Each process is looked at again through a descriptor of its own before it is signalled.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

VARIABLE = "LIONAGI_SESSION_ID"


def processes_of(session_id: str) -> set[int]:
    """The living processes that were started for a session, apart from us and those above us."""
    ours = _above_us()
    every = [int(entry) for entry in (os.listdir("/proc") if os.path.isdir("/proc/self") else []) if entry.isdigit()]
    return {pid for pid in every if pid not in ours and _belongs(pid, session_id)}


def end_processes_of(session_id: str, *, grace: float) -> int:
    """TERM to all of them, KILL after the grace; how many there were."""
    told: set[int] = set()
    deadline = time.monotonic() + grace
    while left := processes_of(session_id):
        late = time.monotonic() >= deadline
        for pid in left if late else left - told:
            _signal(pid, session_id, signal.SIGKILL if late else signal.SIGTERM)
        told |= left
        if time.monotonic() > deadline + 10:
            break  # stuck in the kernel: nobody can end it
        time.sleep(0.02)
    return len(told)


def _signal(pid: int, session_id: str, number: signal.Signals) -> None:
    with suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            if _belongs(pid, session_id):  # the number may have passed on before we held it
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)


def _belongs(pid: int, session_id: str) -> bool:
    """Marked itself, or below one that is: an environment can be emptied on the way."""
    while pid > 1:
        if _is_marked(pid, session_id):
            return _parent(pid) is not None
        pid = _parent(pid) or 0
    return False


def _is_marked(pid: int, session_id: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"{VARIABLE}={session_id}".encode() in file.read().split(b"\0")
    except OSError:
        return False  # gone, or somebody else's


def _above_us() -> set[int]:
    found, pid = set(), os.getpid()
    while pid > 1:
        found.add(pid)
        pid = _parent(pid) or 0
    return found


def _parent(pid: int) -> int | None:
    """The parent of a living process; None for one that is gone or only waits to be buried."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except (OSError, ValueError):
        return None
    return None if state in (b"Z", b"X") else int(parent)
