"""Find the processes that hold locks on a database (Linux only)."""

from __future__ import annotations

import os

from lionstudio.system.procfs import read_argv

# Offsets of SQLite's locks in the -shm file: one byte for the writer, one for a checkpoint, five for readers.
_WRITER = 120
_CHECKPOINT = 121
_READERS = range(123, 128)


def list_holders(path: str) -> list[str]:
    """Descriptions such as "pid 4121 (python worker.py) writes"; empty if the system does not tell."""
    try:
        inode = str(os.stat(f"{path}-shm").st_ino)
        with open("/proc/locks", encoding="ascii", errors="replace") as file:
            lines = [line.split() for line in file]
    except OSError:
        return []
    holders: dict[int, set[str]] = {}
    for line in lines:
        # 1: POSIX ADVISORY WRITE 4121 08:01:131 120 120
        if len(line) == 8 and line[5].rpartition(":")[2] == inode and line[4].isdigit():
            holders.setdefault(int(line[4]), set()).add(_activity(line[6], line[7]))
    holders.pop(os.getpid(), None)
    return [
        f"pid {pid}{_command(pid)} {' and '.join(sorted(activities - {''}))}"
        for pid, activities in holders.items()
        if activities - {""}
    ]


def _activity(first: str, last: str) -> str:
    start = int(first)
    end = int(last) if last.isdigit() else 2**62
    if start <= _WRITER <= end:
        return "writes"
    if start <= _CHECKPOINT <= end:
        return "checkpoints"
    return "reads" if any(start <= byte <= end for byte in _READERS) else ""


def _command(pid: int) -> str:
    program, *args = read_argv(pid, 200)
    line = " ".join([os.path.basename(program), *args]).strip()
    return f" ({line[:60]})" if line else ""
