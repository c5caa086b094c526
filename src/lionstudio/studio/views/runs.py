"""A session as the API returns it: its columns and the computed fields."""

from __future__ import annotations

import shlex
from typing import Any

from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.run_name import run_name
from lionstudio.model.status.computed_state import effective_health, session_state
from lionstudio.model.status.source_names import source_name
from lionstudio.runs.resume_command import location_options, resume_command, vendor_command
from lionstudio.settings import Settings
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
    session.pop("machine_silent_seconds", None)
    return {
        **session,
        "display_name": run_name(row),
        "source_name": source_name(row.get("source_kind")),
        "duration_ms": _duration(row),
        "effective_health": effective_health(session, now=now, proof=proof),
        "state": state.to_dict(),
    }


def commands(run: dict[str, Any], settings: Settings) -> dict[str, str | None]:
    """Terminal commands for a run that work as printed; None with the reason where resuming does not."""
    options = location_options(settings, other_terminal=True)
    end = f" {options}" if options else ""
    session = shlex.quote(str(run["id"]))
    resume, fork = (resume_command(run, options=options, verb=verb) for verb in ("resume", "fork"))
    return {
        "target": fork.target,
        "resume": resume.command,
        "vendor": vendor_command(run),
        "fork": fork.command,
        "no_resume_reason": resume.reason,
        "logs": f"li logs {session} --follow{end}",
        "kill": f"li kill {session}{end}",
        "export": f"li state export {session} --format md{end}",
    }


def _duration(row: dict[str, Any]) -> float | None:
    started, ended = row["started_at"], row["ended_at"]
    has_both = isinstance(started, (int, float)) and isinstance(ended, (int, float))
    # the clock may have been set back meanwhile
    return max(0.0, (ended - started) * 1000) if has_both else None
