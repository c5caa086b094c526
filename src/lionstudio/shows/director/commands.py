"""Commands of the director: a tagged union, carried out by `execute/executor.py`."""

from __future__ import annotations

from dataclasses import dataclass

from lionstudio.model.shows.decisions import BudgetPart, ShowQuestionKind
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.shows.director.state import Transition


@dataclass(frozen=True, slots=True)
class SaveTransition:
    """Write the file and the row of a play."""

    play: str
    transition: Transition


@dataclass(frozen=True, slots=True)
class PrepareCheckout:
    """Create the checkout of a play; on a redo, include the conflict to resolve. Answered by CheckoutPrepared."""

    play: str
    attempt: int


@dataclass(frozen=True, slots=True)
class RunAttempt:
    """Run the agent of an attempt, or adopt the one that is running. Answered by AttemptEnded."""

    play: str
    attempt: int


@dataclass(frozen=True, slots=True)
class StopAttempt:
    """End a running attempt; the AttemptEnded of its RunAttempt is the answer.

    Without a RunAttempt (an aborted show that is resumed) it ends what is still running and is answered itself.
    """

    play: str


@dataclass(frozen=True, slots=True)
class RunGates:
    """Collect the work and run the gates on the merge result. Answered by GatesEvaluated."""

    play: str
    attempt: int


@dataclass(frozen=True, slots=True)
class MergePlay:
    """Merge a play that passed its gates. Answered by MergeTried. At most one is in progress.

    With `anyway` a person approved it against its gates, so a branch that moved on does not ask them again.
    """

    play: str
    attempt: int
    anyway: bool = False
    force: bool = False  # also with conflict markers


@dataclass(frozen=True, slots=True)
class AskPerson:
    """Ask a person about a play, or about the show when `play` is None."""

    play: str | None
    reason: str
    kind: ShowQuestionKind = ShowQuestionKind.OTHER
    part: BudgetPart | None = None


@dataclass(frozen=True, slots=True)
class RunFinalGates:
    """Run the final gates on the merged work. Answered by FinalGatesEvaluated."""


@dataclass(frozen=True, slots=True)
class EndShow:
    """Write the final status of the show."""

    status: ShowStatus


@dataclass(frozen=True, slots=True)
class AwaitPerson:
    """Nothing can continue without a person; the director process may exit and be started again."""


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
