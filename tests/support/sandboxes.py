"""Whether this machine can confine programs, and the processes that a test left running."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lionstudio.system.sandbox.bwrap import find_bwrap

needs_bwrap = pytest.mark.skipif(find_bwrap().problem is not None, reason=find_bwrap().sentence)


def processes_with(word: str) -> list[str]:
    """List the commands of live processes whose command line contains a word."""
    commands = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if word in command and int(entry) != os.getpid():
            commands.append(command)
    return commands
