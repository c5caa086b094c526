"""Read /proc, the kernel's list of processes; a system without it yields nothing."""

from __future__ import annotations

import os


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


def find_start_ticks(pid: int) -> int | None:
    """Return the start time of a process in clock ticks since boot: together with the pid it is unique."""
    try:
        return int(read_stat(pid)[19])
    except (OSError, ValueError, IndexError):
        return None


def find_parent(pid: int) -> int | None:
    """Return the parent of a live process, or None for a zombie and for one that is gone."""
    try:
        state, parent = read_stat(pid)[:2]
    except (OSError, ValueError):
        return None
    return None if state in (b"Z", b"X") else int(parent)


def read_environ(pid: int) -> list[bytes]:
    """Return the `NAME=value` entries a process started with; none when it is gone or belongs to another user."""
    return _read(pid, "environ").split(b"\0")


def read_argv(pid: int, most_bytes: int = 4096) -> list[str]:
    return _read(pid, "cmdline", most_bytes).decode("utf-8", "replace").split("\0")


def find_cwd(pid: int) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return None


def _read(pid: int, name: str, most_bytes: int = -1) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read(most_bytes)
    except OSError:
        return b""
