"""A session as the API returns it: its columns and the computed fields."""

from __future__ import annotations

import shlex
from typing import Any

from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.run_name import run_name
from lionstudio.model.status.computed_state import effective_health, session_state
from lionstudio.state.upkeep.liveness import proof_of

_TIMES = ("created_at", "updated_at", "started_at", "ended_at", "last_message_at")


def run_json(row: dict[str, Any], now: float) -> dict[str, Any]:
    """All fields of a session; the liveness of its process is only checked while it is running."""
    proof = proof_of(row) if row["status"] == "running" else None
    codes, owner = row["reason_codes"], row["owner"]
    codes = load_or_keep(codes) if codes != "[]" else ()
    session = {
        **row,
        "reason_codes": [str(code) for code in codes] if isinstance(codes, (list, tuple)) else [],
        "owner": load_or_keep(owner) if owner else None,
    }
    state = session_state(session, now=now, proof=proof)
    session.pop("metadata", None)  # the detail returns it beside the session
    return {
        **session,
        "display_name": run_name(row),
        "duration_ms": _duration(row),
        "effective_health": effective_health(session, now=now, proof=proof),
        "state": state.to_dict(),
    }


def commands(run: dict[str, Any]) -> dict[str, str]:
    """Terminal commands for a run."""
    agent = run["agent_name"] or "/".join(str(part) for part in (run["provider"], run["model"]) if part) or "AGENT"
    target, session = shlex.quote(str(agent)), shlex.quote(str(run["id"]))
    return {
        "resume": f'li agent {target} --resume {session} "…"',
        "fork": f'li agent {target} --fork {session} "…"',
        "logs": f"li logs {session} --follow",
        "kill": f"li kill {session}",
        "export": f"li state export {session} --format md",
    }


def _duration(row: dict[str, Any]) -> float | None:
    started, ended = row["started_at"], row["ended_at"]
    has_both = isinstance(started, (int, float)) and isinstance(ended, (int, float))
    return (ended - started) * 1000 if has_both else None
