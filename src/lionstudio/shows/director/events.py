"""What a director hears and what it orders: two tagged unions, and nothing that does anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lionstudio.model.shows.plan import Plan
from lionstudio.model.status.statuses import PlayStatus, ShowStatus

ABORTED = "the show was aborted"  # the reason of what an abort ended, by which it is known when the show goes on


class AttemptOutcome(StrEnum):
    """How an attempt of an agent ended. A usage limit is no failure, and a stop is nobody's fault."""

    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    LIMITED = "limited"
    STOPPED = "stopped"


class MergeResult(StrEnum):
    """What trying to merge a play gave; `moved`: the branch went on since the gates looked, so they look again.

    `failed`: git refused for a reason that no agent can mend, such as a branch that somebody has checked out.
    """

    MERGED = "merged"
    ALREADY = "already"
    CONFLICT = "conflict"
    MOVED = "moved"
    FAILED = "failed"


class DecisionKind(StrEnum):
    """What a person may say about a play."""

    APPROVE = "approve"
    REJECT = "reject"
    REDO = "redo"
    ESCALATE = "escalate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a show has used up so far."""

    tokens: int = 0
    cost_microusd: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayState:
    """A play as the director knows it; all of it is in `_meta.json` and in its row."""

    status: PlayStatus = PlayStatus.PENDING
    attempt: int = 1
    allowed: int | None = None  # attempts before a person is asked; a person's redo adds one to what was used
    approved: bool = False  # a person let this attempt pass
    anyway: bool = False  # though its gates did not
    parked_until: float | None = None
    blocked_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """What follows for a play, and why."""

    status: PlayStatus
    attempt: int
    reason: str | None = None
    allowed: int | None = None
    approved: bool = False
    anyway: bool = False
    parked_until: float | None = None
    blocked_by: tuple[str, ...] = ()
    word_id: str | None = None  # of the decision that is taken up by it


# ── Events ──


@dataclass(frozen=True, slots=True)
class ShowStarted:
    """The director took the show up, for the first time or again."""


@dataclass(frozen=True, slots=True)
class CheckoutPrepared:
    """A play has its checkout; `problem` says why it has none."""

    play: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """An attempt ended."""

    play: str
    outcome: AttemptOutcome
    reason: str | None = None
    resets_at: float | None = None  # when a usage limit ends


@dataclass(frozen=True, slots=True)
class GatesEvaluated:
    """The gates that need no person have looked."""

    play: str
    passed: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class MergeTried:
    """The merge of a play was tried."""

    play: str
    result: MergeResult
    files: tuple[str, ...] = ()  # those in conflict
    reason: str | None = None  # why it failed


@dataclass(frozen=True, slots=True)
class DecisionMade:
    """A person decided about a play."""

    play: str
    word: DecisionKind
    attempt: int
    feedback: str | None = None
    word_id: str | None = None


@dataclass(frozen=True, slots=True)
class PlanEdited:
    """The plan was edited while the show runs."""

    plan: Plan
    providers: Mapping[str, str] = field(default_factory=dict)  # who runs which play of it


@dataclass(frozen=True, slots=True)
class ClockTicked:
    """Time went by, money was spent."""

    now: float
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class AbortRequested:
    """`_ABORT` lies in the folder."""


@dataclass(frozen=True, slots=True)
class ShowAccepted:
    """A person takes the show as it is: the final gates look at what is merged."""


@dataclass(frozen=True, slots=True)
class ShowRejected:
    """A person does not take the show, though its final gates passed."""


@dataclass(frozen=True, slots=True)
class FinalGatesEvaluated:
    """The final gates that need no person have looked."""

    passed: bool


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
)

# ── Commands ──


@dataclass(frozen=True, slots=True)
class SaveTransition:
    """Write both halves of a play."""

    play: str
    next: Transition


@dataclass(frozen=True, slots=True)
class PrepareCheckout:
    """Give a play its checkout; after a redo, with what went wrong. Answered by Prepared."""

    play: str
    attempt: int


@dataclass(frozen=True, slots=True)
class RunAttempt:
    """Run the agent of an attempt, or adopt the one that runs. Answered by Exited."""

    play: str
    attempt: int


@dataclass(frozen=True, slots=True)
class StopAttempt:
    """End a running attempt; the Exited of its Fire is the answer.

    Ordered without a Fire when an aborted show is taken up: then whatever still runs is ended, and Exited is due too.
    """

    play: str


@dataclass(frozen=True, slots=True)
class RunGates:
    """Collect the work and run the gates on the merge result. Answered by Judged."""

    play: str
    attempt: int


@dataclass(frozen=True, slots=True)
class MergePlay:
    """Merge what the gates let pass. Answered by MergeTried. Only one is ordered at a time.

    With `anyway` a person has let it pass against its gates, and a branch that moved on is no reason to ask them again.
    """

    play: str
    attempt: int
    anyway: bool = False


@dataclass(frozen=True, slots=True)
class AskPerson:
    """A person is needed; `play` is None when it is about the show."""

    play: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class RunFinalGates:
    """Run the final gates on what is merged. Answered by FinalJudged."""


@dataclass(frozen=True, slots=True)
class EndShow:
    """Write how the show ended."""

    status: ShowStatus


@dataclass(frozen=True, slots=True)
class AwaitPerson:
    """Nothing can go on without a person; the director may leave and be called again."""


Command = (
    SaveTransition
    | PrepareCheckout
    | RunAttempt
    | StopAttempt
    | RunGates
    | MergePlay
    | AskPerson
    | RunFinalGates
    | EndShow
    | AwaitPerson
)
