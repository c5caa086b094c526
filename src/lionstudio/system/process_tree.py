"""End a program with every process it started, also those that left its process group (Linux; elsewhere the group).

We adopt orphans below us, so a descendant cannot escape when its parent dies; a mark in the environment
tells which tree it belongs to.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
import time
from contextlib import suppress

from lionstudio.system.procfs import find_parent, find_start_ticks, list_pids, read_environ, read_stat

MARK = "LIONAGI_PROGRAM"
GRACE_SECONDS = 5.0
_PR_SET_CHILD_SUBREAPER = 36


def new_mark() -> str:
    """Make a mark for a new tree; it includes the marks of the trees that we ourselves belong to."""
    return f"{os.environ.get(MARK, '')} {os.urandom(16).hex()}".strip()


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


async def end_tree(root: int, mark: str, *, start_ticks: int | None, grace: float = GRACE_SECONDS) -> None:
    """Send TERM to the whole tree, and KILL to what remains of it after the grace period."""
    if sys.platform != "linux":
        await _end_group(root, grace)
        return
    deadline = time.monotonic() + grace
    signum = signal.SIGTERM
    signalled: set[int] = set()
    while members := _members(root, start_ticks, mark, signalled):
        if signum == signal.SIGTERM and time.monotonic() >= deadline:
            signum = signal.SIGKILL
        # every round again: a tree may grow while it is being ended
        for pid in members - signalled if signum == signal.SIGTERM else members:
            with suppress(OSError):
                os.kill(pid, signum)
        signalled |= members
        if time.monotonic() > deadline + 10 * GRACE_SECONDS:
            return  # stuck in the kernel: no signal can end it
        await asyncio.sleep(0.02)


async def _end_group(root: int, grace: float) -> None:
    """End the process group, which outlives its leader: without /proc descendants are invisible."""
    deadline = time.monotonic() + grace
    with suppress(OSError):
        os.killpg(root, signal.SIGTERM)
        while time.monotonic() < deadline:
            os.killpg(root, 0)
            await asyncio.sleep(0.02)
        os.killpg(root, signal.SIGKILL)


def _members(root: int, start_ticks: int | None, mark: str, signalled: set[int]) -> set[int]:
    """Return the live processes of a tree, and reap the zombies that we adopted."""
    parents = _parents()
    below_us = _descendants({os.getpid()}, parents)
    tree = {pid for pid in below_us if _has_mark(pid, mark)}
    if root in below_us and find_start_ticks(root) == start_ticks:  # the pid may be another process by now
        tree.add(root)
    tree |= _descendants(tree, parents)
    alive = {pid for pid in tree if find_parent(pid) is not None}
    for pid in below_us - alive - {root}:
        if parents[pid] == os.getpid() and (pid in tree or pid in signalled or _was_adopted(pid)):
            with suppress(OSError):
                os.waitpid(pid, os.WNOHANG)
    return alive


def _was_adopted(pid: int) -> bool:
    """Tell whether a zombie child was started by another process: our own are in our session or lead theirs."""
    try:
        stat = read_stat(pid)
        return stat[0] == b"Z" and int(stat[3]) not in (pid, os.getsid(0))
    except (OSError, ValueError, IndexError):
        return False


def _parents() -> dict[int, int]:
    parents = {}
    for pid in list_pids():
        with suppress(OSError, ValueError, IndexError):
            parents[pid] = int(read_stat(pid)[1])
    return parents


def _descendants(roots: set[int], parents: dict[int, int]) -> set[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    descendants: set[int] = set()
    queue = list(roots)
    while queue:
        fresh = set(children.get(queue.pop(), [])) - descendants
        descendants |= fresh
        queue += fresh
    return descendants


def _has_mark(pid: int, mark: str) -> bool:
    own = f"{MARK}={mark}".encode()
    return any(value == own or value.startswith(own + b" ") for value in read_environ(pid))
