"""The state of a play as the director sees it, and a transition to its next state."""

from __future__ import annotations

from dataclasses import dataclass

from lionstudio.model.shows.decisions import ReasonCode
from lionstudio.model.status.statuses import PlayStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayState:
    """State of a play; all of it is in `_meta.json` and in the row."""

    status: PlayStatus = PlayStatus.PENDING
    attempt: int = 1
    allowed: int | None = None  # attempts before the director asks a person; a redo by a person raises it
    approved: bool = False  # a person approved this attempt
    anyway: bool = False  # although its gates failed
    force: bool = False  # although it has conflict markers
    parked_until: float | None = None
    blocked_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """The next state of a play and the reason for it."""

    status: PlayStatus
    attempt: int
    reason: str | None = None
    reason_code: ReasonCode | None = None
    allowed: int | None = None
    approved: bool = False
    anyway: bool = False
    force: bool = False
    parked_until: float | None = None
    blocked_by: tuple[str, ...] = ()
    decision_id: str | None = None  # the decision of a person that this transition carries out
