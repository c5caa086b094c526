"""The audit log `logs/studio.log`: one line of JSON per refusal or action, never with a token or code."""

from __future__ import annotations

import json
import os
import re
import time
from typing import NamedTuple

FILE = os.path.join("logs", "studio.log")
_MOST_BYTES = 5_000_000  # then the log is rotated
_MOST_PATH = 200
# a token, a code or a secret of a session that a client put into the path; ids of ours are shorter
_SECRET = re.compile(r"[A-Za-z0-9_-]{40,}")


class Denial(NamedTuple):
    """A refusal: the HTTP status, a stable reason code, and the message for the client."""

    status: int
    reason: str
    message: str


class AuditLog:
    """Appends to the log of a home; an error while writing is ignored."""

    def __init__(self, path: str, secrets: tuple[str, ...] = ()) -> None:
        self.path = path
        self._secrets = secrets

    def write_denial(self, denial: Denial, method: str, path: str, client: str) -> None:
        """Write a refusal, without the query string: a client may have put a token there."""
        self.write("denied", reason=denial.reason, status=denial.status, method=method[:20], path=path, client=client)

    def write(self, event: str, **facts: object) -> None:
        line = json.dumps({"at": round(time.time(), 3), "event": event, **_clean_path(facts)})
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


def _clean_path(facts: dict[str, object]) -> dict[str, object]:
    return {
        name: _SECRET.sub("[secret]", value)[:_MOST_PATH] if name == "path" and isinstance(value, str) else value
        for name, value in facts.items()
    }
