"""The State cell of a play (ADR-0011): a lifecycle pill, and badges for gate and merge where it has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.model.status.statuses import PlayStatus

# The record's colours by name: amber, blue, green, red, gray.
_TONES: Mapping[str, str] = {
    "pending": "warning",
    "running": "info",
    "awaiting gate": "warning",
    "completed": "success",
    "failed": "danger",
    "aborted": "neutral",
    "passed": "success",
    "gate failed": "danger",
    "skipped": "neutral",
    "merged": "success",
    "local": "neutral",
}
_LIFECYCLES: Mapping[str, str] = {
    PlayStatus.PENDING: "pending",
    PlayStatus.PREPARED: "pending",
    PlayStatus.BLOCKED: "pending",
    PlayStatus.RUNNING: "running",
    PlayStatus.REDOING: "running",
    PlayStatus.RUNNING_COMPLETE: "awaiting gate",
    PlayStatus.GATED: "awaiting gate",
    PlayStatus.MERGED: "completed",
    PlayStatus.GATE_FAILED: "failed",
    PlayStatus.ESCALATED: "failed",
    PlayStatus.ABORTED_AFTER_FINISH: "aborted",
}
# Its work is there, but not in the integration branch.
_LOCAL = frozenset(
    {
        PlayStatus.RUNNING_COMPLETE,
        PlayStatus.GATED,
        PlayStatus.GATE_FAILED,
        PlayStatus.ESCALATED,
        PlayStatus.ABORTED_AFTER_FINISH,
    }
)


class Badge(NamedTuple):
    """A word and the tone it is shown in; `kind` says of which of the three dimensions it speaks."""

    kind: str
    label: str
    tone: str


def play_badges(play: Mapping[str, Any]) -> list[Badge]:
    """The pill first, then what else is known."""
    status, passed = str(play["status"]), play.get("gate_passed")
    merged = status == PlayStatus.MERGED
    found = [_badge("lifecycle", _LIFECYCLES.get(status, status))]
    if passed is not None:
        found.append(_badge("gate", "passed" if passed else "gate failed"))
    elif merged:
        found.append(_badge("gate", "skipped"))
    if merged or status in _LOCAL:
        found.append(_badge("integration", "merged" if merged else "local"))
    return found


def _badge(kind: str, label: str) -> Badge:
    return Badge(kind, label, _TONES.get(label, "neutral"))
