"""The redactor of this process: it knows the secret values of our whole environment, not only of what a child gets."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lionstudio.model.redaction.environment import secrets_in
from lionstudio.system.li_process import read_private

if TYPE_CHECKING:
    from lionstudio.model.redaction.redactor import Redactor

_added: set[str] = set()
_current: Redactor | None = None


def redactor() -> Redactor:
    global _current
    if _current is None:
        # its patterns take 25 ms to compile; a supervisor passes secrets on, and rarely redacts
        from lionstudio.model.redaction.redactor import Redactor

        _current = Redactor(known_secrets())
    return _current


def known_secrets() -> frozenset[str]:
    """The secret values of our environment, of what a child gets, and of the process of ours that started us."""
    _added.update(json.loads(read_private() or b"[]"))
    return secrets_in(os.environ) | _added


def add_secrets(values: Iterable[str]) -> None:
    """Redact these values too, such as the variables that only a child gets."""
    new = set(values) - _added
    if new:
        _added.update(new)
        read_environment()


def read_environment() -> None:
    """Read the environment again at the next use; it may have changed since."""
    global _current
    _current = None


def secrets_to_pass() -> bytes:
    """Our secret values for a process of ours that gets a part of our environment only, but records everything."""
    secrets = known_secrets()
    return json.dumps(sorted(secrets)).encode() if secrets else b""
