"""The table of statuses: one row per status of a session, play, show and team.

The CLI, the API, the page (through the API) and the SQL read these tables and have no lists of statuses of their own.
"""

# Without `from __future__ import annotations`: NamedTuple would compile every annotation of StatusRow at import.
from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, Literal, NamedTuple, TypeVar, cast

from lionstudio.errors import IllegalTransition, InvalidInput
from lionstudio.model.status.vocabulary import Card, FinalOutcome, HealthCode, Icon, Severity, StatusGroup, Tone
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS


class SessionStatus(StrEnum):
    """The status of a run (ADR-0017, and the two that its successor adds)."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    ABORTED = "aborted"
    CANCELLED = "cancelled"


class PlayStatus(StrEnum):
    """The status of a play (ADR-0011)."""

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
    """The status of a show (ADR-0011); `imported` when no file on disk says more."""

    ACTIVE = "active"
    COMPLETED = "completed"
    ABORTED = "aborted"
    IMPORTED = "imported"


class TeamStatus(StrEnum):
    """The status of a team (ADR-0019)."""

    ACTIVE = "active"
    ARCHIVED = "archived"


class InvocationKind(StrEnum):
    """The kind of run (ADR-0012)."""

    AGENT = "agent"
    PLAY = "play"
    FLOW = "flow"
    FANOUT = "fanout"
    SHOW_PLAY = "show-play"


class SourceKind(StrEnum):
    """The way a session got into the database."""

    LIVE = "live"
    IMPORTED_FS = "imported_fs"
    IMPORTED_DB = "imported_db"
    # one for each transcript tool: IMPORTED_CLAUDE = "imported_claude", …
    _ignore_ = "members tool"
    members = vars()
    for tool in TRANSCRIPT_TOOLS:
        members[f"IMPORTED_{tool.upper()}"] = f"imported_{tool}"


V = TypeVar("V", bound=StrEnum)
Phase = Literal["agent", "gate"]


class StatusRow(NamedTuple, Generic[V]):
    """Everything that the product knows about one status."""

    label: str
    tone: Tone
    group: StatusGroup
    icon: Icon
    transitions: frozenset[V]
    outcome: FinalOutcome | None = None
    severity: Severity = "neutral"
    health: HealthCode = "ok"
    reason: str | None = None  # the reason code that the status alone implies
    # sessions
    exit_code: int | None = None  # `failed` is also any code that no row has
    cards: tuple[Card, ...] = ()  # dashboard cards that count it
    # plays and shows
    decisions: tuple[str, ...] = ()  # commands of `li show` that a person may give
    mark: str = ""  # the character before it in a terminal, and its style
    style: str = ""
    has_ended: bool = False
    # plays
    phase: Phase | None = None  # the part of an attempt that it is, in a timeline
    needs_review: bool = False  # waits for a person (ADR-0017)
    stuck: bool = False  # not merged without help; plays that depend on it are blocked
    can_be_blocked: bool = False  # becomes blocked when a dependency is stuck
    waits_to_start: bool = False  # a free slot is enough once its dependencies are merged
    dependencies_merged: bool = False  # waits to start, and its dependencies are known to be merged
    in_progress: bool = False  # an abort of the show ends it
    has_unmerged_work: bool = False  # commits exist outside the integration branch
    can_be_removed: bool = False  # a plan edit may drop it: no attempt exists
    is_minor: bool = False  # the first to leave a terminal that is too short
    resume_rank: int | None = None  # order in which a restarted director continues: closest to the merge first


S = SessionStatus
SESSIONS: Mapping[SessionStatus, StatusRow[SessionStatus]] = {
    S.RUNNING: StatusRow(
        label="running",
        tone="info",
        group="running",
        icon="spinner",
        transitions=frozenset({S.COMPLETED, S.FAILED, S.TIMED_OUT, S.ABORTED, S.CANCELLED}),
        cards=(Card.RUNNING, Card.SLOW, Card.STALE),
    ),
    S.COMPLETED: StatusRow(
        label="completed",
        tone="success",
        group="completed",
        icon="check",
        transitions=frozenset(),
        outcome="succeeded",
        exit_code=0,
        has_ended=True,
    ),
    S.FAILED: StatusRow(
        label="failed",
        tone="danger",
        group="failed",
        icon="cross",
        transitions=frozenset(),
        outcome="failed",
        severity="critical",
        reason="run.failed.exit_nonzero",
        exit_code=1,
        cards=(Card.FAILED_24H,),
        has_ended=True,
    ),
    S.TIMED_OUT: StatusRow(
        label="timed out",
        tone="warning",
        group="failed",
        icon="hourglass",
        transitions=frozenset(),
        outcome="failed",
        severity="warning",
        reason="run.timed_out.deadline",
        exit_code=124,
        has_ended=True,
    ),
    S.ABORTED: StatusRow(
        label="aborted",
        tone="neutral",
        group="aborted",
        icon="ban",
        transitions=frozenset(),
        outcome="stopped",
        reason="run.aborted.interrupt",
        exit_code=130,
        has_ended=True,
    ),
    S.CANCELLED: StatusRow(
        label="cancelled",
        tone="neutral",
        group="aborted",
        icon="ban",
        transitions=frozenset(),
        outcome="stopped",
        reason="run.cancelled.orchestrator",
        exit_code=143,
        has_ended=True,
    ),
}

P = PlayStatus
PLAYS: Mapping[PlayStatus, StatusRow[PlayStatus]] = {
    P.PENDING: StatusRow(
        label="pending",
        tone="warning",
        group="pending",
        icon="circle-dashed",
        transitions=frozenset({P.PREPARED, P.BLOCKED, P.ESCALATED}),
        decisions=("escalate",),
        mark="·",
        style="dim",
        can_be_blocked=True,
        waits_to_start=True,
        can_be_removed=True,
        is_minor=True,
    ),
    # it has a checkout, but no agent was started in it
    P.PREPARED: StatusRow(
        label="prepared",
        tone="warning",
        group="pending",
        icon="circle-dashed",
        transitions=frozenset({P.RUNNING, P.BLOCKED, P.ESCALATED}),
        decisions=("escalate",),
        mark="▹",
        style="cyan",
        can_be_blocked=True,
        waits_to_start=True,
        dependencies_merged=True,
    ),
    P.RUNNING: StatusRow(
        label="running",
        tone="info",
        group="running",
        icon="spinner",
        # back to prepared: a usage limit parks a play without using up an attempt
        transitions=frozenset({P.RUNNING_COMPLETE, P.PREPARED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        health="running",
        decisions=("redo", "escalate"),
        mark="▸",
        style="cyan",
        in_progress=True,
        resume_rank=3,
        phase="agent",
    ),
    P.RUNNING_COMPLETE: StatusRow(
        label="awaiting gate",
        tone="warning",
        group="awaiting_gate",
        icon="hourglass",
        transitions=frozenset({P.GATED, P.GATE_FAILED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        decisions=("redo", "escalate"),
        mark="▸",
        style="cyan",
        in_progress=True,
        has_unmerged_work=True,
        resume_rank=2,
        phase="gate",
    ),
    P.GATED: StatusRow(
        label="awaiting your approval",
        tone="warning",
        group="awaiting_gate",
        icon="hourglass",
        transitions=frozenset({P.MERGED, P.GATE_FAILED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        severity="warning",
        health="waiting",
        reason="play.gate.waiting",
        cards=(Card.NEEDS_REVIEW,),
        decisions=("approve", "reject", "redo", "escalate"),
        mark="?",
        style="yellow",
        needs_review=True,
        in_progress=True,
        has_unmerged_work=True,
        resume_rank=1,
        phase="gate",
    ),
    P.GATE_FAILED: StatusRow(
        label="gate failed",
        tone="danger",
        group="failed",
        icon="cross",
        transitions=frozenset({P.GATED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        severity="critical",
        reason="play.gate.failed",
        decisions=("approve", "reject", "redo", "escalate"),
        mark="✗",
        style="red",
        in_progress=True,
        has_unmerged_work=True,
    ),
    P.REDOING: StatusRow(
        label="redoing",
        tone="info",
        group="running",
        icon="refresh",
        transitions=frozenset({P.PREPARED, P.RUNNING, P.BLOCKED, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        decisions=("escalate",),
        mark="↻",
        style="yellow",
        waits_to_start=True,
        dependencies_merged=True,
        in_progress=True,
    ),
    P.MERGED: StatusRow(
        label="merged",
        tone="success",
        group="completed",
        icon="merge",
        transitions=frozenset(),
        outcome="succeeded",
        mark="✓",
        style="green",
        has_ended=True,
        is_minor=True,
    ),
    P.ESCALATED: StatusRow(
        label="escalated",
        tone="danger",
        group="failed",
        icon="alert",
        transitions=frozenset({P.REDOING, P.GATED, P.BLOCKED, P.ABORTED_AFTER_FINISH}),
        severity="critical",
        health="waiting",
        reason="play.escalated",
        cards=(Card.NEEDS_REVIEW,),
        decisions=("approve", "reject", "redo"),
        mark="!",
        style="red",
        needs_review=True,
        stuck=True,
        has_unmerged_work=True,
    ),
    # it has not started, like pending; the play that holds it counts as failed
    P.BLOCKED: StatusRow(
        label="blocked",
        tone="warning",
        group="pending",
        icon="lock",
        transitions=frozenset({P.PENDING, P.PREPARED, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        severity="warning",
        reason="play.blocked.dependency_failed",
        cards=(Card.NEEDS_REVIEW,),
        decisions=("escalate",),
        mark="–",
        style="dim",
        needs_review=True,
        stuck=True,
        can_be_removed=True,
        is_minor=True,
    ),
    P.ABORTED_AFTER_FINISH: StatusRow(
        label="aborted",
        tone="neutral",
        group="aborted",
        icon="ban",
        # an abort can be a mistake; the work is still on its branch
        transitions=frozenset({P.REDOING}),
        outcome="stopped",
        decisions=("redo",),
        mark="✗",
        style="dim",
        has_ended=True,
        stuck=True,
        has_unmerged_work=True,
    ),
}

SHOWS: Mapping[ShowStatus, StatusRow[ShowStatus]] = {
    ShowStatus.ACTIVE: StatusRow(
        label="active",
        tone="info",
        group="running",
        icon="spinner",
        transitions=frozenset({ShowStatus.COMPLETED, ShowStatus.ABORTED}),
        health="running",
        decisions=("resume", "abort"),
    ),
    # `redo` and `resume` reopen a show that was completed or aborted
    ShowStatus.COMPLETED: StatusRow(
        label="completed",
        tone="success",
        group="completed",
        icon="check",
        transitions=frozenset({ShowStatus.ACTIVE}),
        outcome="succeeded",
        has_ended=True,
    ),
    ShowStatus.ABORTED: StatusRow(
        label="aborted",
        tone="neutral",
        group="aborted",
        icon="ban",
        transitions=frozenset({ShowStatus.ACTIVE}),
        outcome="stopped",
        reason="show.aborted",
        decisions=("resume",),
        has_ended=True,
    ),
    ShowStatus.IMPORTED: StatusRow(
        label="imported",
        tone="neutral",
        group="imported",
        icon="circle",
        transitions=frozenset({ShowStatus.ACTIVE, ShowStatus.COMPLETED, ShowStatus.ABORTED}),
        decisions=("resume",),
    ),
}

TEAMS: Mapping[TeamStatus, StatusRow[TeamStatus]] = {
    TeamStatus.ACTIVE: StatusRow(
        label="active", tone="info", group="active", icon="spinner", transitions=frozenset({TeamStatus.ARCHIVED})
    ),
    TeamStatus.ARCHIVED: StatusRow(
        label="archived",
        tone="neutral",
        group="archived",
        icon="circle",
        transitions=frozenset({TeamStatus.ACTIVE}),
        reason="team.archived",
    ),
}

SESSION_TRANSITIONS = {status: row.transitions for status, row in SESSIONS.items()}
PLAY_TRANSITIONS = {status: row.transitions for status, row in PLAYS.items()}
SHOW_TRANSITIONS = {status: row.transitions for status, row in SHOWS.items()}
TEAM_TRANSITIONS = {status: row.transitions for status, row in TEAMS.items()}
EXIT_CODES = {status: row.exit_code for status, row in SESSIONS.items() if row.exit_code is not None}

# Sets of plays, in the order of the enum: SQL texts made from them must not change from one start to the next.
PLAYS_NEEDING_REVIEW = tuple(status for status, row in PLAYS.items() if row.needs_review)
# a blocked play counts for ADR-0017's card, but a person decides about its blockers
PLAYS_NEEDING_DECISION = tuple(status for status in PLAYS_NEEDING_REVIEW if "approve" in PLAYS[status].decisions)
PLAYS_STUCK = frozenset(status for status, row in PLAYS.items() if row.stuck)
PLAYS_WAITING_TO_START = frozenset(status for status, row in PLAYS.items() if row.waits_to_start)
PLAYS_IN_PROGRESS = frozenset(status for status, row in PLAYS.items() if row.in_progress)
PLAYS_TO_RESUME = tuple(
    sorted(
        (status for status, row in PLAYS.items() if row.resume_rank), key=lambda status: PLAYS[status].resume_rank or 0
    )
)

# ADR-0017: raw statuses of sessions and plays to the text that a person reads. A display mapper, not a gate.
DISPLAY_MAP: Mapping[str, str] = {
    **{str(status): row.label for status, row in SESSIONS.items()},
    **{str(status): row.label for status, row in PLAYS.items()},
}


def row_of(table: Mapping[V, StatusRow[V]], status: str) -> StatusRow[V]:
    """The row of a status; one that another tool stored is shown as it is and has no decisions."""
    row = table.get(cast(V, status))
    if row is not None:
        return row
    return StatusRow(status, "neutral", "imported", "circle", frozenset(), mark="·", style="dim")


def parse(vocabulary: type[V], value: object, field: str) -> V:
    """The member of a vocabulary; InvalidInput lists the members."""
    try:
        return vocabulary(str(value))
    except ValueError:
        members = ", ".join(vocabulary)
        raise InvalidInput(f"{field} {value!r:.80} is unknown", hint=f"use one of: {members}") from None


def check_transition(transitions: Mapping[V, frozenset[V]], old: V, new: V, subject: str) -> None:
    """Raise IllegalTransition when the table does not have this transition."""
    if new in transitions[old]:
        return
    allowed = ", ".join(sorted(transitions[old])) or "nothing, it is final"
    raise IllegalTransition(f"{subject} is {old} and cannot become {new}", hint=f"allowed from {old}: {allowed}")


def can_reach(transitions: Mapping[V, frozenset[V]], old: V, new: V) -> bool:
    """Return whether some chain of transitions leads from one status to the other; an import sees only its two ends."""
    seen, waiting = {old}, [old]
    while waiting:
        fresh = transitions[waiting.pop()] - seen
        seen |= fresh
        waiting += fresh
    return new in seen
