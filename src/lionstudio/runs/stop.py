"""Stop a run and every process it started, for the command line and for Studio.

Only a process that is proven to belong to the run is signalled.
"""

from __future__ import annotations

import signal
import time
from typing import NamedTuple

from lionstudio.errors import IllegalTransition, LionError, NotFound
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import EXIT_CODES, SessionStatus
from lionstudio.state.database import Database, reading
from lionstudio.state.sessions import finish_session, get_session
from lionstudio.state.upkeep.liveness import owner_of, proof_of
from lionstudio.system.process_identity import Owner, signal_owner
from lionstudio.system.session_processes import end_processes_of

GRACE_SECONDS = 15.0  # for an agent to end by itself
_DEATH_SECONDS = 5.0  # for a killed process to disappear
_POLL_SECONDS = 0.05


class StopResult(NamedTuple):
    """The outcome of a stop; `over` is False when the run is or may be still running."""

    over: bool
    outcome: str


HAD_ENDED = StopResult(True, "had ended")
STOPPED = StopResult(True, "stopped")  # it ended by itself and stored everything
KILLED = StopResult(True, "killed")


def stop_run(db: str, session_id: str, *, grace: float = GRACE_SECONDS) -> StopResult:
    """Send SIGTERM, then SIGKILL after the grace period, then end orphaned processes; blocks until done."""
    session = _session(db, session_id)
    if session.ended_with is not None:
        return HAD_ENDED
    row = session.to_dict()
    proof, owner = proof_of(row), owner_of(row)
    if proof.answer == "dead":
        return _clean_up(db, session_id, grace)
    if owner is None or proof.answer != "alive":
        return StopResult(False, f"not stopped: {'; '.join(proof.evidence)}")
    try:
        if grace and _ended_by_itself(db, session_id, owner, grace):
            return STOPPED
        signal_owner(owner, signal.SIGKILL)
    except NotFound:
        pass  # the process ended in the meantime
    except LionError as error:
        return StopResult(False, f"not stopped: {error.message}")
    _await_death(session)
    return _clean_up(db, session_id, grace)


def _ended_by_itself(db: str, session_id: str, owner: Owner, seconds: float) -> bool:
    signal_owner(owner, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if _session(db, session_id).ended_with is not None:
            return True
        time.sleep(_POLL_SECONDS)
    return False


def _await_death(session: Session) -> None:
    row = session.to_dict()
    deadline = time.monotonic() + _DEATH_SECONDS
    while proof_of(row).answer != "dead" and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)


def _clean_up(db: str, session_id: str, grace: float) -> StopResult:
    """End the orphaned processes of a dead runner, and mark its session cancelled."""
    end_processes_of(session_id, grace=grace)
    session = _session(db, session_id)
    if session.status != SessionStatus.RUNNING:
        return HAD_ENDED
    if proof_of(session.to_dict()).answer != "dead":
        return StopResult(False, "not stopped: cannot prove that its process is dead")
    code, reasons = EXIT_CODES[SessionStatus.CANCELLED], ["run.cancelled.orchestrator"]
    try:
        with Database(db, create=False) as database:
            database.write(
                lambda conn: finish_session(conn, session_id, SessionStatus.CANCELLED, exit_code=code, reasons=reasons)
            )
    except IllegalTransition:
        return HAD_ENDED  # another process stopped it at the same moment
    return KILLED


def _session(db: str, session_id: str) -> Session:
    with reading(db) as conn:
        return get_session(conn, session_id)
