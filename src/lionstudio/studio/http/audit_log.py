"""Who was refused and why, a line of JSON each in `logs/studio.log`; what opens doors is never written there."""

from __future__ import annotations

import json
import os
import time
from typing import NamedTuple

FILE = os.path.join("logs", "studio.log")
_MOST_BYTES = 5_000_000  # then the log is put aside and begun anew
_MOST_PATH = 200


class Denial(NamedTuple):
    """One refusal: the status, a stable reason, and the sentence for whoever was refused."""

    status: int
    reason: str
    message: str


class AuditLog:
    """Appends to the log of a home; a log that cannot be written stops nobody."""

    def __init__(self, path: str, secrets: tuple[str, ...] = ()) -> None:
        self.path = path
        self._secrets = secrets

    def write_denial(self, denial: Denial, method: str, path: str, client: str) -> None:
        """Note a refusal; the query is left out, it may hold what somebody took for the right place of a token."""
        self.write("denied", reason=denial.reason, status=denial.status, method=method[:20], path=path, client=client)

    def write(self, event: str, **facts: object) -> None:
        """Note anything else."""
        line = json.dumps({"at": round(time.time(), 3), "event": event, **_cut(facts)})
        for secret in self._secrets:
            line = line.replace(secret, "[token]")
        try:
            self._append(line + "\n")
        except OSError:
            return

    def _append(self, line: str) -> None:
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "a", encoding="utf-8") as file:
            full = file.tell() > _MOST_BYTES
            file.write(line)
        if full:
            os.replace(self.path, f"{self.path}.1")


def _cut(facts: dict[str, object]) -> dict[str, object]:
    return {
        name: value[:_MOST_PATH] if name == "path" and isinstance(value, str) else value
        for name, value in facts.items()
    }
