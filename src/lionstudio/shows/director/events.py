"""Events that the director handles: a tagged union."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lionstudio.model.shows.decisions import DecisionKind, ReasonCode
from lionstudio.model.shows.plan import Plan


class AttemptOutcome(StrEnum):
    """Outcome of an attempt. A usage limit and a stop do not count as failures."""

    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    LIMITED = "limited"
    STOPPED = "stopped"


class MergeResult(StrEnum):
    """Result of a merge. `moved`: the branch moved since the gates ran, so they run again.

    `failed`: git refused for a reason that an agent cannot fix, such as a branch that the user has checked out.
    `foreign`: commits that the show did not make are on the branch.
    """

    MERGED = "merged"
    ALREADY = "already"
    CONFLICT = "conflict"
    MOVED = "moved"
    FAILED = "failed"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Usage of a show so far."""

    tokens: int = 0
    cost_microusd: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ShowStarted:
    """A director started or resumed the show."""


@dataclass(frozen=True, slots=True)
class CheckoutPrepared:
    """The checkout of a play is ready, or `problem` says why not."""

    play: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    play: str
    outcome: AttemptOutcome
    reason: str | None = None
    resets_at: float | None = None  # end of a usage limit


@dataclass(frozen=True, slots=True)
class GatesEvaluated:
    play: str
    passed: bool
    reason: str | None = None
    needs_person: ReasonCode | None = None  # another attempt cannot help


@dataclass(frozen=True, slots=True)
class MergeTried:
    play: str
    result: MergeResult
    files: tuple[str, ...] = ()  # those in conflict
    reason: str | None = None  # of a failure


@dataclass(frozen=True, slots=True)
class DecisionMade:
    play: str
    kind: DecisionKind
    attempt: int
    feedback: str | None = None
    decision_id: str | None = None
    force: bool = False  # merge conflict markers and unencrypted files too


@dataclass(frozen=True, slots=True)
class PlanEdited:
    """The plan of a running show was edited, or a person decided about an edit."""

    plan: Plan  # without what is held back
    providers: Mapping[str, str] = field(default_factory=dict)  # by play
    held: tuple[str, ...] = ()  # changes that a person must accept first


@dataclass(frozen=True, slots=True)
class ClockTicked:
    now: float
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class AbortRequested:
    """`_ABORT` is in the show folder."""


@dataclass(frozen=True, slots=True)
class ShowAccepted:
    """A person accepts the show as it is: the final gates run on the merged work."""


@dataclass(frozen=True, slots=True)
class ShowRejected:
    """A person rejects the show although its final gates passed."""


@dataclass(frozen=True, slots=True)
class FinalGatesEvaluated:
    """The final gates that need no person ran, or `foreign` says why they did not."""

    passed: bool
    foreign: str | None = None


@dataclass(frozen=True, slots=True)
class CommitsDecided:
    """A person decided about commits on the integration branch: it is checked again."""


Event = (
    ShowStarted
    | CheckoutPrepared
    | AttemptEnded
    | GatesEvaluated
    | MergeTried
    | DecisionMade
    | PlanEdited
    | ClockTicked
    | AbortRequested
    | ShowAccepted
    | ShowRejected
    | FinalGatesEvaluated
    | CommitsDecided
)
