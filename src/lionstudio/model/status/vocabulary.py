"""The closed vocabularies of a computed state: tones, severities, healths, groups, icons, outcomes, dashboard cards.

Literals and not enums: every `li` command loads this module, and an enum class costs a quarter of a millisecond.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, get_args

Tone = Literal["success", "info", "warning", "danger", "neutral"]
TONES: tuple[Tone, ...] = get_args(Tone)

# From harmless to worst.
Severity = Literal["neutral", "info", "warning", "critical"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
SEVERITY_RANKS: Mapping[str, int] = {severity: rank for rank, severity in enumerate(SEVERITIES)}

# The result of an entity that has ended.
FinalOutcome = Literal["succeeded", "failed", "stopped"]
FINAL_OUTCOMES: tuple[FinalOutcome, ...] = get_args(FinalOutcome)

# The headings that lists and progress bars count statuses under, in order; for plays, the lifecycle pill of ADR-0011
# with its color (amber, blue, green, red, gray).
StatusGroup = Literal[
    "completed", "running", "awaiting_gate", "failed", "aborted", "pending", "active", "archived", "imported"
]
GROUP_TONES: Mapping[StatusGroup, Tone] = {
    "completed": "success",
    "running": "info",
    "awaiting_gate": "warning",
    "failed": "danger",
    "aborted": "neutral",
    "pending": "warning",
    "active": "info",
    "archived": "neutral",
    "imported": "neutral",
}

# Icon names of the page.
Icon = Literal[
    "alert",
    "ban",
    "check",
    "circle",
    "circle-dashed",
    "clock-pause",
    "cross",
    "disconnected",
    "hourglass",
    "lock",
    "merge",
    "person",
    "refresh",
    "spinner",
]
ICONS: tuple[Icon, ...] = get_args(Icon)


class Card(StrEnum):
    """A card of the dashboard whose runs can be listed."""

    RUNNING = "running"
    FAILED_24H = "failed_24h"
    SLOW = "slow"
    STALE = "stale"
    NEEDS_REVIEW = "needs_review"


# The computed health of an entity; ADR-0019's `stale` is reported beside it as `effective_health`.
HealthCode = Literal["ok", "running", "waiting", "idle", "stalled", "process_dead", "orphaned", "unknown"]

DELIVERIES = ("passed", "partial", "missing", "invalid", "not_expected")


def group_label(group: StatusGroup) -> str:
    """The text of a group."""
    return group.replace("_", " ")
