"""The State cell of a play (ADR-0011): a lifecycle pill, then badges for its gate and its merge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.model.status.statuses import PLAYS, PlayStatus
from lionstudio.model.status.vocabulary import Tone


class Badge(NamedTuple):
    """One badge; `kind` is lifecycle, gate or integration."""

    kind: str
    label: str
    tone: str


def play_badges(play: Mapping[str, Any]) -> list[Badge]:
    """The lifecycle pill first."""
    status, passed = str(play["status"]), play.get("gate_passed")
    row = PLAYS[PlayStatus(status)] if status in PLAYS else None  # a file may contain any text
    merged = status == PlayStatus.MERGED
    pill = (
        Badge("lifecycle", status, Tone.NEUTRAL) if row is None else Badge("lifecycle", row.group.label, row.group.tone)
    )
    badges = [pill]
    if passed is not None:
        badges.append(Badge("gate", "passed", Tone.SUCCESS) if passed else Badge("gate", "gate failed", Tone.DANGER))
    elif merged:
        badges.append(Badge("gate", "skipped", Tone.NEUTRAL))
    if merged:
        badges.append(Badge("integration", "merged", Tone.SUCCESS))
    elif row is not None and row.has_unmerged_work:
        badges.append(Badge("integration", "local", Tone.NEUTRAL))
    return badges
