"""The actions that a person may take on a show or a play now, each with its effect; pages render them.

The same action has different effects at different times: rejecting a gated play returns it to its agent, rejecting an
escalated one ends it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lionstudio.files.shows.held_back import HeldBack
from lionstudio.model.shows.decisions import ShowQuestion, ShowQuestionKind
from lionstudio.model.status.statuses import PLAYS, SHOWS, PlayStatus, ShowStatus, row_of

_ANSWERS: Mapping[ShowQuestionKind, tuple[str, ...]] = {
    ShowQuestionKind.BUDGET: ("approve",),
    ShowQuestionKind.FINAL: ("approve", "reject"),
    ShowQuestionKind.PLAN: ("approve", "reject"),
    ShowQuestionKind.COMMITS: ("approve", "reject"),
    ShowQuestionKind.OTHER: ("approve", "reject"),
}
_DANGEROUS = frozenset({"abort"})


def play_actions(status: str) -> list[str]:
    """The names of the actions of a play."""
    return list(row_of(PLAYS, status).decisions)


def show_actions(
    status: str, *, asked: ShowQuestion | None = None, held: HeldBack | None = None, began: bool = True
) -> list[str]:
    """The names of the actions of a show; the answers to its open question come first."""
    actions = row_of(SHOWS, status).decisions
    if status != ShowStatus.ACTIVE:
        return list(actions)
    return [*answers_to(asked, held), *(actions if began else ("run", "abort"))]


def answers_to(asked: ShowQuestion | None, held: HeldBack | None) -> tuple[str, ...]:
    """The actions that answer a question; a budget is raised or not, so it cannot be rejected.

    A question about changes that are gone has no answer: approving would accept the whole show.
    """
    if asked is None or (asked.kind in (ShowQuestionKind.PLAN, ShowQuestionKind.COMMITS) and held is None):
        return ()
    return _ANSWERS[asked.kind]


def has_begun(statuses: Sequence[str | None]) -> bool:
    """Return whether any play of a show was ever started."""
    return any(status not in (None, PlayStatus.PENDING) for status in statuses)


def describe_play_actions(
    name: str, status: str, attempt: int, head: str | None, *, most_attempts: int | None = None
) -> list[dict[str, Any]]:
    """The actions of a play with their effects and fields; `most_attempts` is the plan's, where it is known."""
    subject = {"attempt": attempt} | ({} if head is None else {"head": head})
    return [
        _action(
            action,
            action.capitalize(),
            _rejected(name, attempt, most_attempts)
            if action == "reject" and status != PlayStatus.ESCALATED
            else _play_effect(action, name, status),
            _play_fields(action, status),
        )
        | {"subject": subject}
        for action in play_actions(status)
    ]


def describe_show_actions(
    topic: str, actions: Sequence[str], asked: ShowQuestion | None, held: HeldBack | None = None
) -> list[dict[str, Any]]:
    """The actions of a show with their effects and fields."""
    return [_show_action(action, topic, asked, held) for action in actions]


def _play_effect(action: str, name: str, status: str) -> str:
    if action == "approve" and status == PlayStatus.GATED:
        return f"{name} passes your gate and is merged."
    if action == "approve":
        return f"{name} is merged as it is, even if its gates failed."
    if action == "reject" and status == PlayStatus.ESCALATED:
        return f"{name} ends without a merge; plays that depend on it stay blocked."
    if action == "redo":
        stopped = "Its agent is stopped, and " if status == PlayStatus.RUNNING else ""
        return f"{stopped}{name} starts another attempt."
    return f"{name} stops and waits for a person; plays that depend on it are blocked."


def _rejected(name: str, attempt: int, most: int | None) -> str:
    if most is None:
        return f"{name} goes back to its agent with your feedback; without attempts left it is escalated."
    if attempt < most:
        return f"{name} goes back to its agent with your feedback: attempt {attempt + 1} of {most}."
    return f"{name} has used its {most} attempts: it is escalated with your feedback."


def _play_fields(action: str, status: str) -> list[dict[str, Any]]:
    if action == "approve":
        return []
    if action == "reject" and status != PlayStatus.ESCALATED:
        return [_field("feedback", "Feedback for the agent", "lines", required=True)]
    return [_field("feedback", "Feedback for the agent" if action == "redo" else "Reason", "lines")]


def _show_action(action: str, topic: str, asked: ShowQuestion | None, held: HeldBack | None) -> dict[str, Any]:
    if action == "approve" and asked is not None and asked.kind is ShowQuestionKind.BUDGET:
        effect = f"The budget of {topic} is raised by this amount, and the show continues."
        return _action(action, "Raise budget", effect, [_AMOUNTS[asked.part]])
    if held is not None and action in ("approve", "reject"):
        kinds = [
            kind for kind, part in ((ShowQuestionKind.PLAN, held.plan), (ShowQuestionKind.COMMITS, held.shas)) if part
        ]
        effect = " ".join(_HELD_BACK[kind, action] for kind in kinds)
        subject = ({"plan": held.plan} if held.plan else {}) | ({"commits": [*held.shas]} if held.shas else {})
        return _action(action, action.capitalize(), effect, []) | {"held": [*held.lines], "subject": subject}
    is_final = asked is not None and asked.kind is ShowQuestionKind.FINAL
    effects = {
        "run": f"{topic} starts: plays without dependencies run first.",
        "resume": f"{topic} continues where it stopped; finished plays do not run again.",
        "abort": f"{topic} ends: running agents are stopped, merged plays stay merged.",
        "approve": f"{topic} is completed."
        if is_final
        else f"{topic} is accepted as it is: its final gates check the merged plays, and it ends.",
        "reject": f"{topic} ends as aborted; merged plays stay merged.",
    }
    return _action(action, action.capitalize(), effects[action], [])


_HELD_BACK: Mapping[tuple[ShowQuestionKind, str], str] = {
    (ShowQuestionKind.PLAN, "approve"): "The edited plan is followed as it is in the file.",
    (ShowQuestionKind.PLAN, "reject"): "The edit is undone; it is kept in _show.rejected.md.",
    (ShowQuestionKind.COMMITS, "approve"): "The integration branch stays as it is, although no gate has checked it.",
    (ShowQuestionKind.COMMITS, "reject"): "The integration branch is checked again; repair it first.",
}


def _action(action: str, label: str, effect: str, fields: list[dict[str, Any]]) -> dict[str, Any]:
    danger = action in _DANGEROUS
    facts = {"action": action, "label": label, "what": effect, "danger": danger, "fields": fields}
    return {**facts, "held": [], "subject": {}}


def _field(name: str, label: str, kind: str, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "label": label, "kind": kind, "required": required}


_AMOUNTS: Mapping[str | None, dict[str, Any]] = {
    "tokens": _field("tokens", "Additional tokens", "number", required=True),
    "money": _field("cost", "Additional dollars", "number", required=True),
    "time": _field("time", "Additional time (90s, 30m, 2h)", "text", required=True),
}
