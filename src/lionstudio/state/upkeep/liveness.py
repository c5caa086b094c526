"""Liveness of a run's process, from the owner in its row."""

from __future__ import annotations

from typing import Any

from lionstudio.machine import machine_id
from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.status.computed_state import Proof
from lionstudio.state.hub.machines import FRESH_SECONDS
from lionstudio.system.process_identity import Owner, liveness
from lionstudio.system.session_processes import seen_processes_of


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
    silent = session.get("machine_silent_seconds")
    if silent is not None and session["machine_id"] != machine_id():
        return _proof_by_machine(session["machine_name"], silent)
    answer, evidence = liveness(owner)
    if answer == "alive":
        return Proof(answer, evidence, f"Process {owner.pid} is alive")
    if answer != "dead":
        return Proof(answer, evidence)
    processes = tuple(seen_processes_of(session["id"]))
    agent = f" · its agent still runs (pid {processes[0]})" if processes else ""
    return Proof(answer, evidence, f"Process {owner.pid} is gone{agent}", processes)


def _proof_by_machine(name: str, silent_seconds: float) -> Proof:
    """A run of another machine is alive as long as its machine pushes; the hub never calls it dead."""
    evidence = (f"machine {name} was seen {round(max(0.0, silent_seconds)):,} s ago",)
    if abs(silent_seconds) <= FRESH_SECONDS:  # the clock of the hub may have been set back
        return Proof("alive", evidence, f"Runs on {name}")
    return Proof("unknown", evidence, is_out_of_reach=True)
