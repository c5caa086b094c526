"""How an attempt ended, told from what its supervisor saw and from its session; exit 0 alone is no success."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from lionstudio.agents.rate_limits import reset_time
from lionstudio.errors import IllegalTransition, InvalidInput, NotFound
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.shows.attempt.attempt_files import Exit, last_words
from lionstudio.shows.director.events import AttemptEnded, AttemptOutcome
from lionstudio.state.database import Database
from lionstudio.state.sessions import find_session, finish_session
from lionstudio.state.upkeep.liveness import proof_of

_LIMIT, _DEAD = "run.failed.usage_limit", "run.failed.process_dead"
_RESETS = re.compile(r"resets at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
_REFUSED = (InvalidInput.exit_code, NotFound.exit_code)
_SHORTEST_PARK, _LONGEST_PARK = 5.0, 900.0  # seconds; doubled each time a limit strikes the same attempt again
_REASON = 500  # characters of a reason; the log has the rest


def exited(play: str, folder: str, ended: Exit, session: Session | None) -> AttemptEnded:
    """The event that follows the end of an attempt."""
    words = last_words(folder)
    if session is not None and session.status is SessionStatus.RUNNING:
        # another attempt beside an agent that may live would be two in one checkout
        evidence = "; ".join(proof_of(session.to_dict()).evidence)
        why = f"it cannot be told whether its agent has ended: {evidence} (session {session.id})"
        return AttemptEnded(play, AttemptOutcome.STOPPED, why)
    if ended.how == "stopped":
        return AttemptEnded(play, AttemptOutcome.STOPPED, ended.detail)
    if ended.how in ("timed_out", "silent"):
        return AttemptEnded(play, AttemptOutcome.TIMED_OUT, ended.detail)
    if session is None:
        why = ended.detail or _last_line(words) or f"its command ended with exit code {ended.code} and said nothing"
        # a refused command is refused again: that is a mistake in the plan, and a person's to correct
        return AttemptEnded(play, AttemptOutcome.STOPPED if ended.code in _REFUSED else AttemptOutcome.FAILED, why)
    if _LIMIT in session.reason_codes:
        return AttemptEnded(play, AttemptOutcome.LIMITED, _last_line(words), _resets_at(words))
    return AttemptEnded(play, *_by_status(session, words, ended))


def _by_status(session: Session, words: str, ended: Exit) -> tuple[AttemptOutcome, str | None]:
    match session.status:
        case SessionStatus.COMPLETED:
            return AttemptOutcome.COMPLETED, None
        case SessionStatus.TIMED_OUT:
            return AttemptOutcome.TIMED_OUT, "its agent reached its time limit"
        case SessionStatus.ABORTED | SessionStatus.CANCELLED:
            return AttemptOutcome.STOPPED, f"its agent was stopped from outside (session {session.id})"
        case None:
            return AttemptOutcome.FAILED, "its agent vanished without a word"
    if _DEAD in session.reason_codes:
        return AttemptOutcome.FAILED, "its agent vanished without a word"
    return AttemptOutcome.FAILED, _last_line(words) or f"its agent ended with exit code {ended.code}"


def _last_line(words: str) -> str | None:
    """The last thing that was said which is not our own pointer to the session."""
    lines = [line.strip() for line in words.splitlines() if line.strip() and not line.startswith("  li ")]
    return lines[-1][:_REASON] if lines else None


def _resets_at(words: str) -> float | None:
    if found := _RESETS.search(words):
        return datetime.fromisoformat(found[1]).timestamp()
    return reset_time(words)


def patient(exited: AttemptEnded, before: int) -> AttemptEnded:
    """A limit that is over already, but is there again and again, is not tried again at once."""
    if exited.resets_at is None:
        return exited
    least = time.time() + min(_SHORTEST_PARK * 2**before, _LONGEST_PARK)
    return replace(exited, resets_at=max(exited.resets_at, least))


def settle_session(database: Database, session_id: str) -> Session | None:
    """The session of an attempt that is over; one that says `running` has failed once its process is proven dead."""
    session = database.read(lambda conn: find_session(conn, session_id))
    if session is None or session.status is not SessionStatus.RUNNING:
        return session
    if proof_of(session.to_dict()).answer != "dead":
        return session
    with suppress(IllegalTransition):  # somebody else said so at the same moment
        database.write(
            lambda conn: finish_session(conn, session_id, SessionStatus.FAILED, exit_code=1, reasons=[_DEAD])
        )
    return database.read(lambda conn: find_session(conn, session_id))
