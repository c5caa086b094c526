"""Stop a run and every process it started, for the command line and for Studio.

Only a process that is proven to belong to the run is signalled.
"""

from __future__ import annotations

import signal
import time
from typing import NamedTuple

from lionstudio.agents.events import Ended
from lionstudio.errors import IllegalTransition, LionError, NotFound
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.settle import SETTLE_SECONDS, facts_of, settle_run
from lionstudio.state.backends import open_database, reading
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import close_questions_of, drop_answers_of
from lionstudio.state.hub.machines import refuse_pushed
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
_CANCELLED = facts_of(Ended(SessionStatus.CANCELLED, None, "run.cancelled.orchestrator", None))


def stop_run(db: str, session_id: str, *, grace: float = GRACE_SECONDS) -> StopResult:
    """Send SIGTERM, then SIGKILL after the grace period, then end orphaned processes; blocks until done."""
    session = _session(db, session_id)
    if session.ended_with is not None:
        return HAD_ENDED
    try:
        with reading(db) as conn:
            refuse_pushed(conn, session_id, f"session {session_id}", "stop")
    except IllegalTransition as error:
        return StopResult(False, f"not stopped: {error.message}")
    result = _stop(db, session, grace)
    if result.over:  # unlike the questions of a run that the system ended, which outlive it
        with open_database(db, create=False) as database:
            database.write(lambda conn: _close_questions(conn, session_id))
    return result


def _close_questions(conn: Connection, session_id: str) -> None:
    close_questions_of(conn, session_id, "the run was stopped")
    drop_answers_of(conn, session_id, "the run was stopped")


def _stop(db: str, session: Session, grace: float) -> StopResult:
    session_id = session.id
    row = session.to_dict()
    proof, owner = proof_of(row), owner_of(row)
    if proof.answer == "dead":
        return _settle(db, session_id, grace)
    if owner is None or proof.answer != "alive":
        return StopResult(False, f"not stopped: {'; '.join(proof.evidence)}")
    try:
        if grace and _ended_by_itself(db, session_id, owner, grace):
            return STOPPED
        signal_owner(owner, 0)  # may we?
        _mark_cancelled(db, session_id)  # first, because its watchdog records a killed run as failed
        signal_owner(owner, signal.SIGKILL)
    except IllegalTransition:
        return HAD_ENDED  # it ended, or another process stopped it, at the same moment
    except NotFound:  # it ended in the meantime; one that settles it holds its lock, as if it were alive
        _await_death(session)
        return _settle(db, session_id, grace)
    except LionError as error:
        return StopResult(False, f"not stopped: {error.message}")
    _await_death(session)
    end_processes_of(session_id, grace=grace)
    return _settle(db, session_id, grace) if _session(db, session_id).status == SessionStatus.RUNNING else KILLED


def _ended_by_itself(db: str, session_id: str, owner: Owner, seconds: float) -> bool:
    signal_owner(owner, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if _session(db, session_id).ended_with is not None:
            return True
        time.sleep(_POLL_SECONDS)
    return False


def _mark_cancelled(db: str, session_id: str) -> None:
    with open_database(db, create=False) as database:
        database.write(lambda conn: finish_session(conn, session_id, **_CANCELLED))


def _await_death(session: Session) -> None:
    row = session.to_dict()
    deadline = time.monotonic() + _DEATH_SECONDS
    while proof_of(row).answer != "dead" and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)


def _settle(db: str, session_id: str, grace: float) -> StopResult:
    """End the orphaned processes of a dead run and record its end."""
    orphans = end_processes_of(session_id, grace=grace)
    with open_database(db, create=False) as database:
        session = settle_run(database, session_id, wait=SETTLE_SECONDS)
    if session is None:
        return HAD_ENDED  # and was deleted
    if session.status == SessionStatus.RUNNING:
        return StopResult(False, "not stopped: cannot prove that its process is dead")
    ended = f"; {orphans} processes of its agent stopped" if orphans > 1 else "; its agent stopped" if orphans else ""
    return StopResult(True, f"its process was already gone{ended}; marked {session.status}")


def _session(db: str, session_id: str) -> Session:
    with reading(db) as conn:
        return get_session(conn, session_id)
