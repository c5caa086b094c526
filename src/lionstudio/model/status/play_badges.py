"""The State cell of a play (ADR-0011): a lifecycle pill, then badges for its gate and its merge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.model.shows.decisions import GATES_PASSED
from lionstudio.model.status.computed_state import WAITS_FOR_WORKER
from lionstudio.model.status.statuses import PLAYS, PlayStatus
from lionstudio.model.status.vocabulary import GROUP_TONES, group_label

_NEEDS_YOU = "needs you"


class Badge(NamedTuple):
    """One badge; `kind` is lifecycle, gate, integration or person."""

    kind: str
    label: str
    tone: str


def play_badges(play: Mapping[str, Any], *, asked: bool = False, waits: bool = False) -> list[Badge]:
    """The lifecycle pill first; a play with an open question (`asked`) needs a person, one that `waits` a worker."""
    if waits and play["status"] == PlayStatus.RUNNING:
        return [Badge("lifecycle", WAITS_FOR_WORKER, "warning")]
    status, passed = str(play["status"]), play.get("gate_passed")
    row = PLAYS[PlayStatus(status)] if status in PLAYS else None  # a file may contain any text
    merged = status == PlayStatus.MERGED
    pill = (
        Badge("lifecycle", status, "neutral")
        if row is None
        # a play at the gate says for whom it waits; the other groups have one label each
        else Badge(
            "lifecycle", row.label if row.group == "awaiting_gate" else group_label(row.group), GROUP_TONES[row.group]
        )
    )
    if asked and status == PlayStatus.GATED:  # a person decides now, so the badge of its gates is left out
        return [Badge("person", _NEEDS_YOU, pill.tone), Badge("integration", "local", "neutral")]
    badges = [pill]
    needs_approval = _needs_approval(play)
    if passed is not None and not needs_approval:
        badges.append(Badge("gate", "passed", "success") if passed else Badge("gate", "gate failed", "danger"))
    elif merged and passed is None:
        badges.append(Badge("gate", "skipped", "neutral"))
    if needs_approval or asked:
        badges.append(Badge("person", _NEEDS_YOU, "warning"))
    if merged:
        badges.append(Badge("integration", "merged", "success"))
    elif row is not None and row.has_unmerged_work:
        badges.append(Badge("integration", "local", "neutral"))
    return badges


def _needs_approval(play: Mapping[str, Any]) -> bool:
    """Whether the gates of an escalated play passed, and what it changes or leaves out needs a person."""
    metadata = play.get("metadata")
    meta = metadata.get("meta") if isinstance(metadata, Mapping) else None
    code = meta.get("reason_code") if isinstance(meta, Mapping) else None
    return play["status"] == PlayStatus.ESCALATED and code in GATES_PASSED
