"""A session's row on its way to a page: its columns, and what follows from them."""

from __future__ import annotations

from typing import Any

from lionstudio.model.jsontext import load_or_keep
from lionstudio.model.states import effective_health, session_state
from lionstudio.state.proofs import proof_of

_TIMES = ("created_at", "updated_at", "started_at", "ended_at", "last_message_at")


def to_wire(row: dict[str, Any], now: float) -> dict[str, Any]:
    """Everything about a session; whether its process lives is only asked while it is running."""
    proof = proof_of(row) if row["status"] == "running" else None
    codes, owner = row["reason_codes"], row["owner"]
    codes = load_or_keep(codes) if codes != "[]" else ()
    usable = {
        **row,
        "reason_codes": [str(code) for code in codes] if isinstance(codes, (list, tuple)) else [],
        "owner": load_or_keep(owner) if owner else None,
    }
    state = session_state(usable, now=now, proof=proof)
    return {
        **usable,
        "duration_ms": _duration(row),
        "effective_health": effective_health(usable, now=now, proof=proof),
        "state": state.to_dict(),
    }


def _duration(row: dict[str, Any]) -> float | None:
    began, ended = row["started_at"], row["ended_at"]
    both = isinstance(began, (int, float)) and isinstance(ended, (int, float))
    return (ended - began) * 1000 if both else None
