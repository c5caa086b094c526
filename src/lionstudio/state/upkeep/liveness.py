"""Whether the process of a run lives, told from its row; apart from the doctor because lists ask it too."""

from __future__ import annotations

from typing import Any

from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.status.computed_state import Proof
from lionstudio.system.process_identity import Owner, liveness


def owner_of(session: dict[str, Any]) -> Owner | None:
    """The process that a session's row names, None when it names none."""
    owner = load_or_keep(session.get("owner"))
    if not isinstance(owner, dict) or not isinstance(owner.get("pid"), int):
        return None
    found = Owner._make(owner.get(name) for name in Owner._fields)
    # another hand may have written anything, and a number would be taken for a descriptor
    return found if isinstance(found.lock_path, str) else found._replace(lock_path=None)


def proof_of(session: dict[str, Any]) -> Proof:
    """Whether the process of a running session is alive, dead or unknown, with the evidence."""
    owner = owner_of(session)
    if owner is None:
        return Proof("unknown", ("no process was recorded for it",))
    found = liveness(owner)
    return Proof(found.answer, found.evidence)
