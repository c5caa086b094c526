"""A session's row on its way out: with its computed state, its duration, and times that people and programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lionstudio.cli._toolkit.humanize import is_time, iso

if TYPE_CHECKING:
    from lionstudio.model.status.computed_state import Proof, State

_TIMES = ("created_at", "updated_at", "started_at", "ended_at", "last_message_at")


def state_of(row: dict[str, Any], now: float) -> tuple[State, Proof | None]:
    """The computed state; whether its process lives is only asked for a session that is running."""
    from lionstudio.model.status.computed_state import session_state  # a list in a pipe does without

    proof = None
    if row["status"] == "running":
        from lionstudio.state.upkeep.liveness import proof_of

        proof = proof_of(row)
    return session_state(_computable(row), now=now, proof=proof), proof


def _computable(row: dict[str, Any]) -> dict[str, Any]:
    """The row without what another tool may have left in it, such as text where a time should be."""
    times = {name: row[name] if is_time(row[name]) else None for name in _TIMES}
    return {**row, **times, "reason_codes": _codes(row)}


def _codes(row: dict[str, Any]) -> list[str]:
    """The stored reasons; most sessions have none, and then nothing is loaded to read them."""
    codes = row["reason_codes"]
    if isinstance(codes, str):
        if codes == "[]":
            return []
        from lionstudio.model.json_codec import load_or_keep

        codes = load_or_keep(codes)
    return [str(code) for code in codes] if isinstance(codes, (list, tuple)) else []


def duration_ms(row: dict[str, Any]) -> float | None:
    """Computed, never stored (ADR-0017); None while it runs."""
    if is_time(row["started_at"]) and is_time(row["ended_at"]):
        return float(row["ended_at"] - row["started_at"]) * 1000
    return None


def session_json(row: dict[str, Any], now: float) -> dict[str, Any]:
    """Everything about a session as JSON has it: the columns by their names, and what follows from them."""
    from lionstudio.model.json_codec import load_or_keep
    from lionstudio.model.status.computed_state import effective_health

    state, proof = state_of(row, now)
    return {
        **row,
        "reason_codes": _codes(row),
        "owner": load_or_keep(row["owner"]),
        **{f"{name}_iso": iso(row[name]) for name in _TIMES},
        "duration_ms": duration_ms(row),
        "effective_health": effective_health(_computable(row), now=now, proof=proof),
        "state": state.to_dict(),
    }
