"""The program behind a hook: the process at the other end of the socket, and the vendor's program that started it.

The kernel names the process; nothing in the event is believed about who sent it.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from lionstudio.system.callers.ancestry import AncestorProcess, ancestors_of, find_agent
from lionstudio.system.process_identity import Owner, identify
from lionstudio.system.procfs import read_argv

_INTERPRETERS = frozenset({"node", "bun", "sh", "bash", "zsh", "dash"})  # of a program that is a script
_PROGRAMS = {"claude": "claude", "claude.exe": "claude", "codex": "codex", "codex.exe": "codex", "codex.js": "codex"}


class HookCaller(NamedTuple):
    """The vendor's program, or the reason to refuse the event; `is_agent` when an agent of ours sent it."""

    program: Owner | None
    refusal: str | None = None
    is_agent: bool = False
    chain: tuple[AncestorProcess, ...] = ()


def find_hook_caller(pid: int, uid: int, tool: str) -> HookCaller:
    """Find the program that started a hook process of this user."""
    if uid != os.geteuid():
        return HookCaller(None, f"process {pid} belongs to another user (uid {uid})")
    chain = tuple(ancestors_of(pid) or ())
    if not chain:
        return HookCaller(None, f"the ancestors of process {pid} cannot be read")
    agent = find_agent(list(chain))
    if agent is not None:
        return HookCaller(None, agent, is_agent=True, chain=chain)
    # the first one that was started: a program below it belongs to its agent
    programs = [process for process in chain[1:] if program_of(process.pid) is not None]
    if not programs or program_of(programs[-1].pid) != tool:
        return HookCaller(None, f"process {pid} was not started by {tool} in a terminal", chain=chain)
    return HookCaller(identify(programs[-1].pid), chain=chain)


def program_of(pid: int) -> str | None:
    """The vendor's program that a process runs, by its arguments."""
    argv = read_argv(pid)[:2]
    if len(argv) > 1 and os.path.basename(argv[0]) in _INTERPRETERS:
        argv = argv[1:]
    return _PROGRAMS.get(os.path.basename(argv[0])) if argv else None
