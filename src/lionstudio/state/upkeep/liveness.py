"""Liveness of a run's process, from the owner in its row."""

from __future__ import annotations

from typing import Any

from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.status.computed_state import Proof
from lionstudio.system.process_identity import Owner, liveness


def owner_of(session: dict[str, Any]) -> Owner | None:
    """The process in a session's row, None without one."""
    owner = load_or_keep(session.get("owner"))
    if not isinstance(owner, dict) or not isinstance(owner.get("pid"), int):
        return None
    process = Owner._make(owner.get(name) for name in Owner._fields)
    # another tool may have written anything, and a number would be taken for a descriptor
    return process if isinstance(process.lock_path, str) else process._replace(lock_path=None)


def proof_of(session: dict[str, Any]) -> Proof:
    """Whether the process of a running session is alive, dead or unknown, with evidence."""
    owner = owner_of(session)
    if owner is None:
        return Proof("unknown", ("no process was recorded for it",))
    return Proof(*liveness(owner))
