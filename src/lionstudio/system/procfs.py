"""Read /proc, the kernel's list of processes; a system without it yields nothing."""

from __future__ import annotations

import os
import time
from contextlib import suppress


def list_pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def read_stat(pid: int | str) -> list[bytes]:
    """Return the fields of a process's stat file from the third (the state) on; raise OSError when it is gone."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        # The command may hold spaces and brackets; field 3 follows the last bracket.
        return file.read().rpartition(b")")[2].split()


def has_ended(stat: list[bytes]) -> bool:
    """The first thread of a process may end, and show as Z, while the others still run."""
    return stat[0] in (b"Z", b"X", b"x") and int(stat[20 - 3]) <= 1


def find_start_ticks(pid: int) -> int | None:
    """Return the start time of a process in clock ticks since boot: together with the pid it is unique."""
    try:
        return int(read_stat(pid)[19])
    except (OSError, ValueError, IndexError):
        return None


def find_started_at(pid: int) -> float | None:
    """Return the start of a process in unix seconds, as exact as a clock tick."""
    ticks = find_start_ticks(pid)
    if ticks is None:
        return None
    since_boot = time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.time() - since_boot + ticks / os.sysconf("SC_CLK_TCK")


def find_parent(pid: int) -> int | None:
    """Return the parent of a live process, or None for a zombie and for one that is gone."""
    try:
        fields = read_stat(pid)
        return None if has_ended(fields) else int(fields[1])
    except (OSError, ValueError, IndexError):
        return None


def find_uid(pid: int) -> int | None:
    """Return the real user of a process; the owner of its files in /proc is root when its memory is private."""
    for line in _read(pid, "status").splitlines():
        if line.startswith(b"Uid:"):
            return int(line.split()[1])
    return None


def read_environ(pid: int) -> list[bytes]:
    """Return the `NAME=value` entries a process started with; none when it is gone or we may not read them."""
    entries = _read(pid, "environ").split(b"\0")
    if entries == [b""] and pid == os.getpid():  # our memory is private, also for us
        return [name + b"=" + value for name, value in os.environb.items()]
    return entries


def read_argv(pid: int, most_bytes: int = 4096) -> list[str]:
    return _read(pid, "cmdline", most_bytes).decode("utf-8", "replace").split("\0")


def find_cwd(pid: int) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return None


def _read(pid: int, name: str, most_bytes: int = -1) -> bytes:
    data = _read_file(f"/proc/{pid}/{name}", most_bytes)
    if not data:
        with suppress(OSError):  # the first thread may have ended: the others still have it
            others = (thread for thread in os.listdir(f"/proc/{pid}/task") if thread != str(pid))
            data = next(
                filter(None, (_read_file(f"/proc/{pid}/task/{thread}/{name}", most_bytes) for thread in others)), b""
            )
    return data


def _read_file(path: str, most_bytes: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(most_bytes)
    except OSError:
        return b""
