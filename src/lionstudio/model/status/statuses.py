"""Statuses and the moves between them, as data. Nothing else decides what may follow what."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from lionstudio.errors import IllegalTransition, InvalidInput
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS


class SessionStatus(StrEnum):
    """Did the process do its work? (ADR-0017, and the two its successor adds.)"""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    ABORTED = "aborted"
    CANCELLED = "cancelled"


class PlayStatus(StrEnum):
    """Where a play stands in its show (ADR-0011)."""

    PENDING = "pending"
    PREPARED = "prepared"
    RUNNING = "running"
    RUNNING_COMPLETE = "running_complete"
    GATED = "gated"
    GATE_FAILED = "gate_failed"
    REDOING = "redoing"
    MERGED = "merged"
    ESCALATED = "escalated"
    BLOCKED = "blocked"
    ABORTED_AFTER_FINISH = "aborted_after_finish"


class ShowStatus(StrEnum):
    """Where a show stands (ADR-0011); `imported` when nothing on disk tells."""

    ACTIVE = "active"
    COMPLETED = "completed"
    ABORTED = "aborted"
    IMPORTED = "imported"


class TeamStatus(StrEnum):
    """Whether a team is in use (ADR-0019)."""

    ACTIVE = "active"
    ARCHIVED = "archived"


class InvocationKind(StrEnum):
    """What was started (ADR-0012)."""

    AGENT = "agent"
    PLAY = "play"
    FLOW = "flow"
    FANOUT = "fanout"
    SHOW_PLAY = "show-play"


class SourceKind(StrEnum):
    """How a session came into the file."""

    LIVE = "live"
    IMPORTED_FS = "imported_fs"
    IMPORTED_DB = "imported_db"
    # one for each transcript tool: IMPORTED_CLAUDE = "imported_claude", …
    _ignore_ = "members tool"
    members = vars()
    for tool in TRANSCRIPT_TOOLS:
        members[f"IMPORTED_{tool.upper()}"] = f"imported_{tool}"


S = SessionStatus
SESSION_TRANSITIONS: Mapping[SessionStatus, frozenset[SessionStatus]] = {
    S.RUNNING: frozenset({S.COMPLETED, S.FAILED, S.TIMED_OUT, S.ABORTED, S.CANCELLED}),
    S.COMPLETED: frozenset(),
    S.FAILED: frozenset(),
    S.TIMED_OUT: frozenset(),
    S.ABORTED: frozenset(),
    S.CANCELLED: frozenset(),
}

# What a process of that outcome exits with; `failed` is any other number than these.
EXIT_CODES: Mapping[SessionStatus, int] = {
    S.COMPLETED: 0,
    S.FAILED: 1,
    S.TIMED_OUT: 124,
    S.ABORTED: 130,
    S.CANCELLED: 143,
}

P = PlayStatus
PLAY_TRANSITIONS: Mapping[PlayStatus, frozenset[PlayStatus]] = {
    P.PENDING: frozenset({P.PREPARED, P.BLOCKED, P.ESCALATED}),
    P.PREPARED: frozenset({P.RUNNING, P.BLOCKED, P.ESCALATED}),
    # back to prepared: a usage limit parks a play without using up an attempt
    P.RUNNING: frozenset({P.RUNNING_COMPLETE, P.PREPARED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
    P.RUNNING_COMPLETE: frozenset({P.GATED, P.GATE_FAILED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
    P.GATED: frozenset({P.MERGED, P.GATE_FAILED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
    P.GATE_FAILED: frozenset({P.GATED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
    P.REDOING: frozenset({P.PREPARED, P.RUNNING, P.BLOCKED, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
    P.ESCALATED: frozenset({P.REDOING, P.GATED, P.BLOCKED, P.ABORTED_AFTER_FINISH}),
    P.BLOCKED: frozenset({P.PENDING, P.PREPARED, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
    P.MERGED: frozenset(),
    # an abort can be a mistake; the work is still on its branch
    P.ABORTED_AFTER_FINISH: frozenset({P.REDOING}),
}

SHOW_TRANSITIONS: Mapping[ShowStatus, frozenset[ShowStatus]] = {
    ShowStatus.ACTIVE: frozenset({ShowStatus.COMPLETED, ShowStatus.ABORTED}),
    # a finished or aborted show is taken up again by `redo` and `resume`
    ShowStatus.COMPLETED: frozenset({ShowStatus.ACTIVE}),
    ShowStatus.ABORTED: frozenset({ShowStatus.ACTIVE}),
    ShowStatus.IMPORTED: frozenset({ShowStatus.ACTIVE, ShowStatus.COMPLETED, ShowStatus.ABORTED}),
}

TEAM_TRANSITIONS: Mapping[TeamStatus, frozenset[TeamStatus]] = {
    TeamStatus.ACTIVE: frozenset({TeamStatus.ARCHIVED}),
    TeamStatus.ARCHIVED: frozenset({TeamStatus.ACTIVE}),
}

PLAYS_NEEDING_REVIEW = frozenset({P.GATED, P.ESCALATED, P.BLOCKED})

V = TypeVar("V", bound=StrEnum)


def parse(vocabulary: type[V], value: object, what: str) -> V:
    """The member of a vocabulary, or a refusal that lists the words it has."""
    try:
        return vocabulary(str(value))
    except ValueError:
        words = ", ".join(vocabulary)
        raise InvalidInput(f"{what} {value!r:.80} is unknown", hint=f"use one of: {words}") from None


def check_transition(moves: Mapping[V, frozenset[V]], old: V, new: V, what: str) -> None:
    """Refuse a move that the table does not have."""
    if new in moves[old]:
        return
    legal = ", ".join(sorted(moves[old])) or "nothing: it is final"
    raise IllegalTransition(f"{what} is {old} and cannot become {new}", hint=f"from {old} follows {legal}")


def can_reach(moves: Mapping[V, frozenset[V]], old: V, new: V) -> bool:
    """Whether moves lead from one status to another, over however many that nobody told us of."""
    seen, waiting = {old}, [old]
    while waiting:
        fresh = moves[waiting.pop()] - seen
        seen |= fresh
        waiting += fresh
    return new in seen
