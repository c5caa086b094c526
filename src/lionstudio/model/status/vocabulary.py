"""The closed vocabularies of a computed state: tones, severities, healths, groups, icons, outcomes, dashboard cards."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Tone(StrEnum):
    """The color family of a pill or a chart segment."""

    SUCCESS = "success"
    INFO = "info"
    WARNING = "warning"
    DANGER = "danger"
    NEUTRAL = "neutral"


class Severity(StrEnum):
    """Declared from harmless to worst."""

    NONE = "none"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


SEVERITY_RANKS: Mapping[str, int] = {severity: rank for rank, severity in enumerate(Severity)}


class StatusGroup(StrEnum):
    """The heading that lists and progress bars count a status under; for plays, the lifecycle pill of ADR-0011."""

    COMPLETED = "completed"
    RUNNING = "running"
    AWAITING_GATE = "awaiting_gate"
    FAILED = "failed"
    ABORTED = "aborted"
    PENDING = "pending"
    ACTIVE = "active"
    ARCHIVED = "archived"
    IMPORTED = "imported"

    @property
    def label(self) -> str:
        """The text of the pill."""
        return self.replace("_", " ")

    @property
    def tone(self) -> Tone:
        """The color of the pill (ADR-0011: amber, blue, green, red, gray)."""
        return _GROUP_TONES.get(self, Tone.NEUTRAL)


_GROUP_TONES: Mapping[StatusGroup, Tone] = {
    StatusGroup.COMPLETED: Tone.SUCCESS,
    StatusGroup.RUNNING: Tone.INFO,
    StatusGroup.AWAITING_GATE: Tone.WARNING,
    StatusGroup.FAILED: Tone.DANGER,
    StatusGroup.PENDING: Tone.WARNING,
    StatusGroup.ACTIVE: Tone.INFO,
}


class FinalOutcome(StrEnum):
    """The result of an entity that has ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPED = "stopped"


class Card(StrEnum):
    """A card of the dashboard whose runs can be listed."""

    RUNNING = "running"
    FAILED_24H = "failed_24h"
    SLOW = "slow"
    STALE = "stale"
    NEEDS_REVIEW = "needs_review"


class Icon(StrEnum):
    """Icon names of the page."""

    ALERT = "alert"
    BAN = "ban"
    CHECK = "check"
    CIRCLE = "circle"
    CIRCLE_DASHED = "circle-dashed"
    CLOCK_PAUSE = "clock-pause"
    CROSS = "cross"
    DISCONNECTED = "disconnected"
    HOURGLASS = "hourglass"
    LOCK = "lock"
    MERGE = "merge"
    PERSON = "person"
    REFRESH = "refresh"
    SPINNER = "spinner"


class HealthStatus(StrEnum):
    """The computed health of an entity; ADR-0019's `stale` is reported beside it as `effective_health`."""

    OK = "ok"
    RUNNING = "running"
    WAITING = "waiting"
    IDLE = "idle"
    STALLED = "stalled"
    PROCESS_DEAD = "process_dead"
    ORPHANED = "orphaned"
    UNKNOWN = "unknown"


class HealthRow(NamedTuple):
    """One row per health; only a health with a reason appears in the label of a run."""

    label: str
    severity: Severity = Severity.NONE
    reason: str | None = None
    icon: Icon | None = None  # None: the icon of the status


HEALTHS: Mapping[str, HealthRow] = {
    HealthStatus.OK: HealthRow("ok"),
    HealthStatus.RUNNING: HealthRow("running"),
    HealthStatus.WAITING: HealthRow("waiting", Severity.WARNING, "run.health.waiting", Icon.PERSON),
    HealthStatus.IDLE: HealthRow("idle", Severity.INFO, "run.health.idle", Icon.CLOCK_PAUSE),
    HealthStatus.STALLED: HealthRow("stale", Severity.WARNING, "run.health.stale", Icon.CLOCK_PAUSE),
    HealthStatus.PROCESS_DEAD: HealthRow("process dead", Severity.ERROR, "run.health.process_dead", Icon.DISCONNECTED),
    HealthStatus.ORPHANED: HealthRow("orphaned", Severity.WARNING, "run.health.orphaned", Icon.DISCONNECTED),
    HealthStatus.UNKNOWN: HealthRow("unknown", Severity.INFO, "run.health.owner_unknown"),
}
DELIVERIES = ("passed", "partial", "missing", "invalid", "not_expected")
