"""A session row for output: computed state, duration, and formatted times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lionstudio.cli._toolkit.humanize import is_time, iso
from lionstudio.model.run_name import run_name

if TYPE_CHECKING:
    from lionstudio.model.status.computed_state import Proof, State

_TIMES = ("created_at", "updated_at", "started_at", "ended_at", "last_message_at")


def state_of(row: dict[str, Any], now: float) -> tuple[State, Proof | None]:
    """The computed state; liveness is checked only for running sessions."""
    from lionstudio.model.status.computed_state import session_state  # a list in a pipe does not need it

    proof = None
    if row["status"] == "running":
        from lionstudio.state.upkeep.liveness import proof_of

        proof = proof_of(row)
    return session_state(_computable(row), now=now, proof=proof), proof


def _computable(row: dict[str, Any]) -> dict[str, Any]:
    """The row without invalid values from other tools, such as text in a time column."""
    times = {name: row[name] if is_time(row[name]) else None for name in _TIMES}
    return {**row, **times, "reason_codes": _codes(row)}


def _codes(row: dict[str, Any]) -> list[str]:
    """The stored reason codes; the JSON codec is imported only if there are some."""
    codes = row["reason_codes"]
    if isinstance(codes, str):
        if codes == "[]":
            return []
        from lionstudio.model.json_codec import load_or_keep

        codes = load_or_keep(codes)
    return [str(code) for code in codes] if isinstance(codes, (list, tuple)) else []


def duration_ms(row: dict[str, Any]) -> float | None:
    """Computed, never stored (ADR-0017); None while the session runs, 0 when the clock was set back meanwhile."""
    if is_time(row["started_at"]) and is_time(row["ended_at"]):
        return max(0.0, float(row["ended_at"] - row["started_at"]) * 1000)
    return None


def session_json(row: dict[str, Any], now: float) -> dict[str, Any]:
    """A session as JSON: its columns and the values computed from them, without its metadata."""
    from lionstudio.model.json_codec import load_or_keep
    from lionstudio.model.status.computed_state import effective_health

    state, proof = state_of(row, now)
    return {
        **{name: value for name, value in row.items() if name not in ("metadata", "machine_silent_seconds")},
        "display_name": run_name(row),
        "reason_codes": _codes(row),
        "owner": load_or_keep(row["owner"]),
        **{f"{name}_iso": iso(row[name]) for name in _TIMES},
        "duration_ms": duration_ms(row),
        "effective_health": effective_health(_computable(row), now=now, proof=proof),
        "state": state.to_dict(),
        **({} if proof is None else {"liveness": proof._asdict()}),
    }
