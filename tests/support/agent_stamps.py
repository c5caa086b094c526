"""A program that an agent of a fleet runs: it stamps the time into a file of its own, then writes the work of its play.

    agent_stamps.py FOLDER PLAY SECONDS [EVERY]

The first line of the file is JSON: a new id for this execution, the play, the session, and attempt and fence as the
supervisor above it got them. Each other line is the boot-time clock, which all namespaces share; the last is `done`.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from typing import Any


def main() -> None:
    folder, play, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    every = float(sys.argv[4]) if len(sys.argv) > 4 else 0.1
    life = uuid.uuid4().hex
    facts = {"life": life, "play": play, "session": os.environ.get("LIONAGI_SESSION_ID"), **_lease()}
    os.makedirs(folder, exist_ok=True)
    file = os.open(os.path.join(folder, f"{play}.{life}"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(file, (json.dumps(facts) + "\n").encode())
    worked = 0.0  # time in which it was awake; a frozen agent goes on where it stood
    while worked < seconds:
        os.write(file, f"{time.clock_gettime(time.CLOCK_BOOTTIME):.3f}\n".encode())
        time.sleep(every)
        worked += every
    os.makedirs("work", exist_ok=True)
    with open(os.path.join("work", f"{play}.txt"), "w", encoding="utf-8") as work:
        work.write(f"{life}\n")
    os.write(file, b"done\n")


def _lease() -> dict[str, Any]:
    """The attempt and fence in the orders of the supervisor that started us."""
    pid = os.getpid()
    while pid > 1:
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
            with open(f"/proc/{pid}/stat", "rb") as file:
                pid = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            break
        if any("attempt.supervisor" in word for word in words):
            attempt = next((word for word in reversed(words) if word.startswith("/")), "")
            try:
                with open(os.path.join(attempt, "attempt.json"), encoding="utf-8") as file_:
                    lease = json.load(file_).get("lease") or {}
            except (OSError, ValueError):
                lease = {}
            return {"attempt": os.path.basename(attempt), "order": lease.get("order_id"), "fence": lease.get("fence")}
    return {"attempt": None, "order": None, "fence": None}


if __name__ == "__main__":
    main()
