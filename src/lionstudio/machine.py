"""The id and the name of this machine."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache


@cache
def machine_id() -> str | None:
    """The id of this machine, None where the system has none; LIONAGI_MACHINE_ID replaces that of a cloned system."""
    if override := os.environ.get("LIONAGI_MACHINE_ID"):
        return override
    value = read_line("/etc/machine-id") or read_line("/var/lib/dbus/machine-id")
    return None if value == "uninitialized" else value  # systemd writes so before the first boot


def read_line(path: str) -> str | None:
    """The text of a file of the system; None where there is none."""
    with suppress(OSError, ValueError), open(path, encoding="utf-8") as file:
        return file.read().strip() or None
    return None


def host_name() -> str | None:
    """The name of this machine; two machines may have the same."""
    return os.uname().nodename or None if hasattr(os, "uname") else os.environ.get("COMPUTERNAME")
