"""The outcome of an attempt, from its exit record and its session; exit code 0 alone is not success."""

from __future__ import annotations

import time
from dataclasses import replace

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.coerce import to_timestamp
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.shows.attempt.attempt_files import Exit, log_tail
from lionstudio.shows.director.events import AttemptEnded, AttemptOutcome
from lionstudio.state.upkeep.liveness import proof_of

_LIMIT, _DEAD = "run.failed.usage_limit", "run.failed.process_dead"
_REFUSED = (InvalidInput.exit_code, NotFound.exit_code)
_SHORTEST_PARK, _LONGEST_PARK = 5.0, 900.0  # seconds; doubled each time the same attempt reaches a limit again
_MOST_REASON = 500  # characters; the log has the rest


def attempt_ended(play: str, folder: str, ended: Exit, session: Session | None) -> AttemptEnded:
    """Return the event for an attempt that ended."""
    output = log_tail(folder)
    if session is not None and session.status is SessionStatus.RUNNING:
        # another attempt beside an agent that may be alive would put two agents into one checkout
        evidence = "; ".join(proof_of(session.to_dict()).evidence)
        reason = f"cannot tell whether the agent has ended: {evidence} (session {session.id})"
        return AttemptEnded(play, AttemptOutcome.STOPPED, reason)
    if ended.how == "stopped":
        return AttemptEnded(play, AttemptOutcome.STOPPED, ended.detail)
    if ended.how in ("timed_out", "silent"):
        return AttemptEnded(play, AttemptOutcome.TIMED_OUT, ended.detail)
    if session is None:
        reason = ended.detail or _last_line(output) or f"the command exited with code {ended.code} and no output"
        # a refused command is refused again: a person must correct the plan
        refused = ended.code in _REFUSED
        return AttemptEnded(play, AttemptOutcome.STOPPED if refused else AttemptOutcome.FAILED, reason)
    if _LIMIT in session.reason_codes:
        resets_at = to_timestamp(session.metadata.get("limit_resets_at"))
        return AttemptEnded(play, AttemptOutcome.LIMITED, _last_line(output), resets_at)
    return AttemptEnded(play, *_by_status(session, output, ended))


def _by_status(session: Session, output: str, ended: Exit) -> tuple[AttemptOutcome, str | None]:
    match session.status:
        case SessionStatus.COMPLETED:
            return AttemptOutcome.COMPLETED, None
        case SessionStatus.TIMED_OUT:
            return AttemptOutcome.TIMED_OUT, "the agent reached its time limit"
        case SessionStatus.ABORTED | SessionStatus.CANCELLED if ended.how == "killed":
            return AttemptOutcome.FAILED, ended.detail
        case SessionStatus.ABORTED | SessionStatus.CANCELLED:
            return AttemptOutcome.STOPPED, f"another process stopped the agent (session {session.id})"
    if session.status is None or _DEAD in session.reason_codes:
        return AttemptOutcome.FAILED, "the agent process died without reporting an end"
    return AttemptOutcome.FAILED, _last_line(output) or f"the agent exited with code {ended.code}"


def _last_line(output: str) -> str | None:
    """Return the last line that is not our own pointer to the session; an error of ours with its hint."""
    lines = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith("  li ")]
    last = lines[-1] if lines else ""
    if last.startswith("try: ") and len(lines) > 1:
        last = f"{lines[-2].removeprefix('li: ')} ({last.removeprefix('try: ')})"
    return last[:_MOST_REASON] or None


def back_off(ended: AttemptEnded, earlier: int) -> AttemptEnded:
    """Delay the next try after repeated limits, also where the provider says that the limit is over."""
    if ended.resets_at is None:
        return ended
    earliest = time.time() + min(_SHORTEST_PARK * 2**earlier, _LONGEST_PARK)
    return replace(ended, resets_at=max(ended.resets_at, earliest))
