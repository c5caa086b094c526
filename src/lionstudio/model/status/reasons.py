"""The registry of reason codes: every `code` that a state may carry, and its sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Reason(NamedTuple):
    """The reason for a state, with its evidence."""

    code: str
    message: str
    evidence: str | None = None
    claim_status: str = "observed"  # or inferred

    def to_dict(self) -> dict[str, str | None]:
        """The reason as JSON."""
        return self._asdict()


REASONS: Mapping[str, str] = {
    "run.failed.exit_nonzero": "The process exited with an error.",
    "run.failed.process_dead": "The process exited without recording an end; the run was marked as failed.",
    "run.failed.provider_crash": "The agent program exited in the middle of the run.",
    "run.failed.provider_error": "The provider returned an error.",
    "run.failed.usage_limit": "The provider refused to continue: a usage limit was reached.",
    "run.failed.out_of_memory": "The system killed the process: out of memory.",
    "run.timed_out.deadline": "The run reached its time limit.",
    "run.aborted.interrupt": "A user interrupted the run.",
    "run.cancelled.orchestrator": "Stopped by `li kill` or by the process that started the run.",
    "run.health.stale": "The run has been silent for longer than its kind allows.",
    "run.health.idle": "The process is alive but has been silent for a while.",
    "run.health.process_dead": "The run is marked running, but its process is gone.",
    "run.health.orphaned": "The run is marked running, but no process was recorded for it.",
    "run.health.owner_unknown": "This machine cannot tell if the process is alive.",
    "run.health.waiting": "Waiting for a person.",
    "run.delivery.partial": "Some of the expected artifacts are missing.",
    "run.delivery.missing": "The expected artifacts are missing.",
    "run.delivery.invalid": "The delivered artifacts are not valid.",
    "play.blocked.dependency_failed": "Blocked by a play that cannot be merged without help.",
    "play.gate.failed": "A gate rejected the result.",
    "play.gate.waiting": "Waiting for your approval.",
    "play.escalated": "Escalated to a person.",
    "show.attention": "Plays of this show need a person.",
    "show.undirected": "The director exited; the show continues when it is resumed.",
    "show.aborted": "The show was aborted.",
    "team.archived": "The team is archived.",
}
# Concluded from what was seen; all others were seen or reported.
_INFERRED = frozenset(
    {
        "run.failed.out_of_memory",
        "run.health.stale",
        "run.health.orphaned",
        "run.health.owner_unknown",
        "play.blocked.dependency_failed",
    }
)


def reason(code: str, evidence: str | None = None) -> Reason:
    """The reason with its sentence; a code that is not registered is a bug."""
    return Reason(code, REASONS[code], evidence, _claim_status(code))


def reason_of_stored(code: str) -> Reason:
    """A code read from a row; one that this version does not know is shown as it is."""
    return Reason(code, REASONS.get(code, code), None, _claim_status(code))


def _claim_status(code: str) -> str:
    return "inferred" if code in _INFERRED else "observed"
