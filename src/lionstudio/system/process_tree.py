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


def new_mark() -> str:
    """A mark for a new tree; it carries the marks of the trees that we ourselves belong to."""
    return f"{os.environ.get(MARK, '')} {os.urandom(16).hex()}".strip()


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def born_at(pid: int) -> int | None:
    """When a process was started, in ticks: with the pid its identity, None where that cannot be seen."""
    try:
        return int(_stat(pid)[19])
    except (OSError, ValueError, IndexError):
        return None


async def end_tree(root: int, mark: str, *, born: int | None, grace: float = GRACE_SECONDS) -> None:
    """TERM to the whole tree, and after the grace KILL to what is left of it."""
    if sys.platform != "linux":
        await _end_group(root, grace)
        return
    deadline = time.monotonic() + grace
    signum = signal.SIGTERM
    told: set[int] = set()
    while members := _members(root, born, mark, told):
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


async def _end_group(root: int, grace: float) -> None:
    """Where descendants cannot be seen: the process group, which outlives its leader."""
    deadline = time.monotonic() + grace
    with suppress(OSError):
        os.killpg(root, signal.SIGTERM)
        while time.monotonic() < deadline:
            os.killpg(root, 0)
            await asyncio.sleep(0.02)
        os.killpg(root, signal.SIGKILL)


def _members(root: int, born: int | None, mark: str, told: set[int]) -> set[int]:
    """The living processes of a tree; zombies are dead, and those that we adopted are laid to rest here."""
    parents = _parents()
    below_us = _below({os.getpid()}, parents)
    tree = {pid for pid in below_us if _has_mark(pid, mark)}
    if root in below_us and born_at(root) == born:  # the number may belong to somebody else by now
        tree.add(root)
    tree |= _below(tree, parents)
    living = {pid for pid in tree if _alive(pid)}
    for pid in below_us - living - {root}:
        if parents[pid] == os.getpid() and (pid in tree or pid in told or _was_adopted(pid)):
            with suppress(OSError):
                os.waitpid(pid, os.WNOHANG)
    return living


def _was_adopted(pid: int) -> bool:
    """Whether a child of ours was started by somebody else: one of our own is in our session or leads its own."""
    try:
        stat = _stat(pid)
        return stat[0] == b"Z" and int(stat[3]) not in (pid, os.getsid(0))
    except (OSError, ValueError, IndexError):
        return False


def _parents() -> dict[int, int]:
    found = {}
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if entry.isdigit():
            with suppress(OSError, ValueError, IndexError):
                found[int(entry)] = int(_stat(int(entry))[1])
    return found


def _below(of: set[int], parents: dict[int, int]) -> set[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    waiting = list(of)
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
            values = file.read().split(b"\0")
    except OSError:
        return False
    own = f"{MARK}={mark}".encode()
    return any(value == own or value.startswith(own + b" ") for value in values)
