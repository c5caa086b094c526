"""The registry of reason codes: every `code` that a state may carry, and the sentence it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Reason(NamedTuple):
    """Why an entity is in its state, and what was seen that says so."""

    code: str
    message: str
    evidence: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        """As the API returns it."""
        return self._asdict()


REASONS: Mapping[str, str] = {
    "run.failed.exit_nonzero": "The process ended with an error.",
    "run.failed.process_dead": "The process was gone when somebody looked; the run was marked failed.",
    "run.failed.provider_crash": "The agent program ended by itself in the middle of the run.",
    "run.failed.provider_error": "The provider answered with an error.",
    "run.failed.usage_limit": "The provider refused to go on: a usage limit was reached.",
    "run.failed.out_of_memory": "The system ended the process: out of memory.",
    "run.timed_out.deadline": "The run reached its time limit.",
    "run.aborted.interrupt": "A person interrupted the run.",
    "run.cancelled.orchestrator": "An orchestrator or a stop request ended the run.",
    "run.health.stale": "Nothing was said for longer than a run of this kind may be silent.",
    "run.health.idle": "It is alive but has said nothing for a while.",
    "run.health.process_dead": "It is marked running, but its process is gone.",
    "run.health.orphaned": "It is marked running, but no process was ever recorded for it.",
    "run.health.owner_unknown": "Whether its process lives cannot be told from here.",
    "run.health.waiting": "It waits for a person.",
    "run.delivery.partial": "Some of what it was to deliver is there.",
    "run.delivery.missing": "What it was to deliver is not there.",
    "run.delivery.invalid": "What it delivered cannot be used.",
    "play.blocked.dependency_failed": "A play it depends on cannot be merged without help.",
    "play.gate.failed": "The gate refused the result.",
    "play.gate.waiting": "The result waits at the gate.",
    "play.escalated": "It needs a person.",
    "show.attention": "Plays of this show need a person.",
    "show.undirected": "Its director died, and nothing goes on until it is taken up again.",
    "show.aborted": "The show was aborted.",
    "team.archived": "The team is archived.",
}


def reason(code: str, evidence: str | None = None) -> Reason:
    """The reason with its sentence; a code that is not registered is a bug."""
    return Reason(code, REASONS[code], evidence)


def reason_of_stored(code: str) -> Reason:
    """A code read from a row; one that this version does not know is shown as it is."""
    return Reason(code, REASONS.get(code, code))
