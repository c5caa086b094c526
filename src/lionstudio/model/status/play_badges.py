"""The State cell of a play (ADR-0011): a lifecycle pill, then badges for its gate and its merge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.model.status.statuses import PLAYS, PlayStatus
from lionstudio.model.status.vocabulary import GROUP_TONES, group_label


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
        Badge("lifecycle", status, "neutral")
        if row is None
        else Badge("lifecycle", group_label(row.group), GROUP_TONES[row.group])
    )
    badges = [pill]
    if passed is not None:
        badges.append(Badge("gate", "passed", "success") if passed else Badge("gate", "gate failed", "danger"))
    elif merged:
        badges.append(Badge("gate", "skipped", "neutral"))
    if merged:
        badges.append(Badge("integration", "merged", "success"))
    elif row is not None and row.has_unmerged_work:
        badges.append(Badge("integration", "local", "neutral"))
    return badges
