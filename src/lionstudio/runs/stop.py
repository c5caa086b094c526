"""Stopping a run with everything it started, the same way from a command line and from the page.

Only a process that is proven to be the run's own is signalled; on doubt nothing is.
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

GRACE_SECONDS = 15.0  # what an agent may need to end by itself
_DYING_SECONDS = 5.0  # in which a killed process must be seen to be gone
_LOOK_SECONDS = 0.05


class Stopped(NamedTuple):
    """What became of it; `over` is False for a run that still runs, or may."""

    over: bool
    outcome: str


HAD_ENDED = Stopped(True, "had ended")
STOPPED = Stopped(True, "stopped")  # it ended by itself and kept everything
KILLED = Stopped(True, "killed")


def stop_run(db: str, session_id: str, *, grace: float = GRACE_SECONDS) -> Stopped:
    """Ask the run to end, kill it after the grace, end what it left behind; it takes as long as that takes."""
    session = _session(db, session_id)
    if session.ended_with is not None:
        return HAD_ENDED
    row = session.to_dict()
    proof, owner = proof_of(row), owner_of(row)
    if proof.answer == "dead":
        return _clean_up(db, session_id, grace)
    if owner is None or proof.answer != "alive":
        return Stopped(False, f"not stopped: {'; '.join(proof.evidence)}")
    try:
        if grace and _ended_by_itself(db, session_id, owner, grace):
            return STOPPED
        signal_owner(owner, signal.SIGKILL)
    except NotFound:
        pass  # it went by itself just now
    except LionError as error:
        return Stopped(False, f"not stopped: {error.message}")
    _await_death(session)
    return _clean_up(db, session_id, grace)


def _ended_by_itself(db: str, session_id: str, owner: Owner, seconds: float) -> bool:
    signal_owner(owner, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if _session(db, session_id).ended_with is not None:
            return True
        time.sleep(_LOOK_SECONDS)
    return False


def _await_death(session: Session) -> None:
    row = session.to_dict()
    deadline = time.monotonic() + _DYING_SECONDS
    while proof_of(row).answer != "dead" and time.monotonic() < deadline:
        time.sleep(_LOOK_SECONDS)


def _clean_up(db: str, session_id: str, grace: float) -> Stopped:
    """The runner is dead: end what it left running, and say of the session what is the case."""
    end_processes_of(session_id, grace=grace)
    session = _session(db, session_id)
    if session.status != SessionStatus.RUNNING:
        return HAD_ENDED
    if proof_of(session.to_dict()).answer != "dead":
        return Stopped(False, "not stopped: it cannot be told whether it is dead")
    code, reasons = EXIT_CODES[SessionStatus.CANCELLED], ["run.cancelled.orchestrator"]
    try:
        with Database(db, create=False) as database:
            database.write(
                lambda conn: finish_session(conn, session_id, SessionStatus.CANCELLED, exit_code=code, reasons=reasons)
            )
    except IllegalTransition:
        return HAD_ENDED  # somebody else stopped it at the same moment
    return KILLED


def _session(db: str, session_id: str) -> Session:
    with reading(db) as conn:
        return get_session(conn, session_id)
