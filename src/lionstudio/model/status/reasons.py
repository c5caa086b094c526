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


DENIED = "run.permission_denied"
ANSWER_CUT = "run.failed.answer_cut"
CONTENT_FILTER = "run.failed.content_filter"
STREAM_BROKEN = "run.failed.stream_broken"
PROCESS_DEAD = "run.failed.process_dead"
TERMINATED = "run.cancelled.orchestrator"  # by SIGTERM, as a machine that shuts down sends it
INTERRUPTED_RUN = frozenset({PROCESS_DEAD, TERMINATED})  # its agent was stopped in the middle of its work
FINAL_GATES = "show.aborted.final_gates"
REASONS: Mapping[str, str] = {
    "run.failed.exit_nonzero": "The process exited with an error.",
    PROCESS_DEAD: "The process exited without recording an end; the run was marked as failed.",
    "run.failed.provider_crash": "The agent program exited in the middle of the run.",
    "run.failed.provider_error": "The provider returned an error.",
    ANSWER_CUT: "The answer is incomplete: the model reached its output limit.",
    CONTENT_FILTER: "The answer is incomplete: the provider's content filter stopped it.",
    STREAM_BROKEN: "The answer is incomplete: the connection to the model broke.",
    "run.failed.refused": "The agent refused to continue.",
    "run.failed.turn_limit": "The agent reached its limit of model requests.",
    "run.failed.usage_limit": "The provider refused to continue: a usage limit was reached.",
    "run.failed.out_of_memory": "The system killed the process: out of memory.",
    "run.failed.missing_artifact": "The run ended without an artifact that its playbook requires.",
    DENIED: "The agent's program denied some of its actions.",
    "run.timed_out.deadline": "The run reached its time limit.",
    "run.aborted.interrupt": "A user interrupted the run.",
    TERMINATED: "Stopped by `li kill` or by the process that started the run.",
    "run.cancelled.agent": "The agent cancelled its own turn.",
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
    "show.no_worker": "Work of the show waits for a worker that can take it.",
    "show.aborted": "The show was aborted.",
    FINAL_GATES: "The final gates rejected the merged work.",
    "team.archived": "The team is archived.",
    "worker.stopped": "The worker was stopped.",
    "worker.silent": "The worker was not seen for a whole lease: it ended, is frozen, or cannot reach the hub.",
    "worker.stopping": "The worker takes no new orders, and ends when it has completed those that it has.",
    "worker.draining": "The worker takes no new orders and completes those that it has.",
    "worker.drained": "The worker takes no new orders and has none: it can be stopped.",
}
# These say by themselves what was not delivered.
EXPLAINS_DELIVERY = frozenset({DENIED, ANSWER_CUT, CONTENT_FILTER, STREAM_BROKEN, "run.failed.missing_artifact"})
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
