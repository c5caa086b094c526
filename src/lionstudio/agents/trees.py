"""Ending a program with everything it started, also what left its process group. Beyond the group: Linux only.

We adopt orphans below us, so a descendant cannot get away by having its parent die; a mark in the environment
tells whose it is.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
import time
from contextlib import suppress

MARK = "LIONAGI_PROGRAM"
GRACE_SECONDS = 5.0
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


async def end_tree(root: int, mark: str, *, grace: float = GRACE_SECONDS) -> None:
    """TERM to the whole tree, and after the grace KILL to what is left of it."""
    deadline = time.monotonic() + grace
    signum = signal.SIGTERM
    told: set[int] = set()
    while members := _members(root, mark):
        if signum == signal.SIGTERM and time.monotonic() >= deadline:
            signum = signal.SIGKILL
        # every round again: a tree may grow while it is being ended
        for pid in members - told if signum == signal.SIGTERM else members:
            with suppress(OSError):
                os.kill(pid, signum)
        told |= members
        if time.monotonic() > deadline + 10 * GRACE_SECONDS:
            return  # stuck in the kernel: nobody can end it
        await asyncio.sleep(0.02)


def _members(root: int, mark: str) -> set[int]:
    """The living processes of a tree; zombies are dead, and those that we adopted are laid to rest here."""
    parents = _parents()
    below_us = _below(os.getpid(), parents)
    tree = _below(root, parents) | {root} & below_us
    tree |= {pid for pid in below_us if _has_mark(pid, mark)}
    living = {pid for pid in tree if _alive(pid)}
    for pid in tree - living - {root}:
        if parents.get(pid) == os.getpid():
            with suppress(OSError):
                os.waitpid(pid, os.WNOHANG)
    return living


def _parents() -> dict[int, int]:
    found = {}
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if entry.isdigit():
            with suppress(OSError, ValueError, IndexError):
                found[int(entry)] = int(_stat(int(entry))[1])
    return found


def _below(of: int, parents: dict[int, int]) -> set[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    waiting = [of]
    while waiting:
        fresh = set(children.get(waiting.pop(), [])) - found
        found |= fresh
        waiting += fresh
    return found


def _stat(pid: int) -> list[bytes]:
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()


def _alive(pid: int) -> bool:
    try:
        return _stat(pid)[0] not in (b"Z", b"X")
    except (OSError, IndexError):
        return False


def _has_mark(pid: int, mark: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"{MARK}={mark}".encode() in file.read().split(b"\0")
    except OSError:
        return False
