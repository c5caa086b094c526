"""The table of statuses: one row per status of a session, play, show and team.

The CLI, the API, the page (through the API) and the SQL read these tables and have no lists of statuses of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from lionstudio.errors import IllegalTransition, InvalidInput
from lionstudio.model.status.vocabulary import Card, FinalOutcome, HealthStatus, Icon, Severity, StatusGroup, Tone
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


class StatusRow(NamedTuple, Generic[V]):
    """Everything that the product knows about one status."""

    label: str
    tone: Tone
    group: StatusGroup
    icon: Icon
    transitions: frozenset[V]
    outcome: FinalOutcome | None = None
    severity: Severity = Severity.NONE
    health: HealthStatus = HealthStatus.OK
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
        "running",
        Tone.INFO,
        StatusGroup.RUNNING,
        Icon.SPINNER,
        frozenset({S.COMPLETED, S.FAILED, S.TIMED_OUT, S.ABORTED, S.CANCELLED}),
        cards=(Card.RUNNING, Card.SLOW, Card.STALE),
    ),
    S.COMPLETED: StatusRow(
        "completed",
        Tone.SUCCESS,
        StatusGroup.COMPLETED,
        Icon.CHECK,
        frozenset(),
        FinalOutcome.SUCCEEDED,
        exit_code=0,
        has_ended=True,
    ),
    S.FAILED: StatusRow(
        "failed",
        Tone.DANGER,
        StatusGroup.FAILED,
        Icon.CROSS,
        frozenset(),
        FinalOutcome.FAILED,
        Severity.ERROR,
        reason="run.failed.exit_nonzero",
        exit_code=1,
        cards=(Card.FAILED_24H,),
        has_ended=True,
    ),
    S.TIMED_OUT: StatusRow(
        "timed out",
        Tone.WARNING,
        StatusGroup.FAILED,
        Icon.HOURGLASS,
        frozenset(),
        FinalOutcome.FAILED,
        Severity.WARNING,
        reason="run.timed_out.deadline",
        exit_code=124,
        has_ended=True,
    ),
    S.ABORTED: StatusRow(
        "aborted",
        Tone.NEUTRAL,
        StatusGroup.ABORTED,
        Icon.BAN,
        frozenset(),
        FinalOutcome.STOPPED,
        reason="run.aborted.interrupt",
        exit_code=130,
        has_ended=True,
    ),
    S.CANCELLED: StatusRow(
        "cancelled",
        Tone.NEUTRAL,
        StatusGroup.ABORTED,
        Icon.BAN,
        frozenset(),
        FinalOutcome.STOPPED,
        reason="run.cancelled.orchestrator",
        exit_code=143,
        has_ended=True,
    ),
}

P = PlayStatus
PLAYS: Mapping[PlayStatus, StatusRow[PlayStatus]] = {
    P.PENDING: StatusRow(
        "pending",
        Tone.WARNING,
        StatusGroup.PENDING,
        Icon.CIRCLE_DASHED,
        frozenset({P.PREPARED, P.BLOCKED, P.ESCALATED}),
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
        "prepared",
        Tone.WARNING,
        StatusGroup.PENDING,
        Icon.CIRCLE_DASHED,
        frozenset({P.RUNNING, P.BLOCKED, P.ESCALATED}),
        decisions=("escalate",),
        mark="▹",
        style="cyan",
        can_be_blocked=True,
        waits_to_start=True,
        dependencies_merged=True,
    ),
    P.RUNNING: StatusRow(
        "running",
        Tone.INFO,
        StatusGroup.RUNNING,
        Icon.SPINNER,
        # back to prepared: a usage limit parks a play without using up an attempt
        frozenset({P.RUNNING_COMPLETE, P.PREPARED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        health=HealthStatus.RUNNING,
        decisions=("redo", "escalate"),
        mark="▸",
        style="cyan",
        in_progress=True,
        resume_rank=3,
    ),
    P.RUNNING_COMPLETE: StatusRow(
        "awaiting gate",
        Tone.WARNING,
        StatusGroup.AWAITING_GATE,
        Icon.HOURGLASS,
        frozenset({P.GATED, P.GATE_FAILED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        decisions=("redo", "escalate"),
        mark="▸",
        style="cyan",
        in_progress=True,
        has_unmerged_work=True,
        resume_rank=2,
    ),
    P.GATED: StatusRow(
        "awaiting gate",
        Tone.WARNING,
        StatusGroup.AWAITING_GATE,
        Icon.HOURGLASS,
        frozenset({P.MERGED, P.GATE_FAILED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        severity=Severity.WARNING,
        health=HealthStatus.WAITING,
        reason="play.gate.waiting",
        cards=(Card.NEEDS_REVIEW,),
        decisions=("approve", "reject", "redo", "escalate"),
        mark="?",
        style="yellow",
        needs_review=True,
        in_progress=True,
        has_unmerged_work=True,
        resume_rank=1,
    ),
    P.GATE_FAILED: StatusRow(
        "gate failed",
        Tone.DANGER,
        StatusGroup.FAILED,
        Icon.CROSS,
        frozenset({P.GATED, P.REDOING, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        severity=Severity.ERROR,
        reason="play.gate.failed",
        decisions=("approve", "reject", "redo", "escalate"),
        mark="✗",
        style="red",
        in_progress=True,
        has_unmerged_work=True,
    ),
    P.REDOING: StatusRow(
        "redoing",
        Tone.INFO,
        StatusGroup.RUNNING,
        Icon.REFRESH,
        frozenset({P.PREPARED, P.RUNNING, P.BLOCKED, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        decisions=("escalate",),
        mark="↻",
        style="yellow",
        waits_to_start=True,
        dependencies_merged=True,
        in_progress=True,
    ),
    P.MERGED: StatusRow(
        "merged",
        Tone.SUCCESS,
        StatusGroup.COMPLETED,
        Icon.MERGE,
        frozenset(),
        FinalOutcome.SUCCEEDED,
        mark="✓",
        style="green",
        has_ended=True,
        is_minor=True,
    ),
    P.ESCALATED: StatusRow(
        "escalated",
        Tone.DANGER,
        StatusGroup.FAILED,
        Icon.ALERT,
        frozenset({P.REDOING, P.GATED, P.BLOCKED, P.ABORTED_AFTER_FINISH}),
        severity=Severity.ERROR,
        health=HealthStatus.WAITING,
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
        "blocked",
        Tone.WARNING,
        StatusGroup.PENDING,
        Icon.LOCK,
        frozenset({P.PENDING, P.PREPARED, P.ESCALATED, P.ABORTED_AFTER_FINISH}),
        severity=Severity.WARNING,
        health=HealthStatus.WAITING,
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
        "aborted",
        Tone.NEUTRAL,
        StatusGroup.ABORTED,
        Icon.BAN,
        # an abort can be a mistake; the work is still on its branch
        frozenset({P.REDOING}),
        FinalOutcome.STOPPED,
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
        "active",
        Tone.INFO,
        StatusGroup.RUNNING,
        Icon.SPINNER,
        frozenset({ShowStatus.COMPLETED, ShowStatus.ABORTED}),
        health=HealthStatus.RUNNING,
        decisions=("resume", "abort"),
    ),
    # `redo` and `resume` reopen a show that was completed or aborted
    ShowStatus.COMPLETED: StatusRow(
        "completed",
        Tone.SUCCESS,
        StatusGroup.COMPLETED,
        Icon.CHECK,
        frozenset({ShowStatus.ACTIVE}),
        FinalOutcome.SUCCEEDED,
        has_ended=True,
    ),
    ShowStatus.ABORTED: StatusRow(
        "aborted",
        Tone.NEUTRAL,
        StatusGroup.ABORTED,
        Icon.BAN,
        frozenset({ShowStatus.ACTIVE}),
        FinalOutcome.STOPPED,
        reason="show.aborted",
        decisions=("resume",),
        has_ended=True,
    ),
    ShowStatus.IMPORTED: StatusRow(
        "imported",
        Tone.NEUTRAL,
        StatusGroup.IMPORTED,
        Icon.CIRCLE,
        frozenset({ShowStatus.ACTIVE, ShowStatus.COMPLETED, ShowStatus.ABORTED}),
        decisions=("resume",),
    ),
}

TEAMS: Mapping[TeamStatus, StatusRow[TeamStatus]] = {
    TeamStatus.ACTIVE: StatusRow(
        "active", Tone.INFO, StatusGroup.ACTIVE, Icon.SPINNER, frozenset({TeamStatus.ARCHIVED})
    ),
    TeamStatus.ARCHIVED: StatusRow(
        "archived",
        Tone.NEUTRAL,
        StatusGroup.ARCHIVED,
        Icon.CIRCLE,
        frozenset({TeamStatus.ACTIVE}),
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
    """Whether some chain of transitions leads from one status to the other; an import sees only its two ends."""
    seen, waiting = {old}, [old]
    while waiting:
        fresh = transitions[waiting.pop()] - seen
        seen |= fresh
        waiting += fresh
    return new in seen
