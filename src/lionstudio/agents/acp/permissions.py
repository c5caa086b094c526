"""Answer an agent's permission requests as the task permits or a person decides; choose the mode that fits the task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lionstudio.agents.jsonl_process import notice
from lionstudio.agents.records import text_or_empty
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.messages import Message
from lionstudio.model.questions import DENY, AnsweredQuestion, AnswerOption, Effect, Question, QuestionKind

# The kinds of calls that are allowed; None for every kind.
_ALLOWED: Mapping[str, tuple[str, ...] | None] = {
    "ask": (),
    "edit": ("read", "search", "think", "fetch", "edit", "move"),
    "all": None,
}
_EFFECTS: Mapping[str, Effect] = {
    "allow_once": Effect.ALLOW,
    "allow_always": Effect.ALLOW_ALWAYS,
    "reject_once": Effect.DENY,
    "reject_always": Effect.DENY,
}
# The modes of the agents that were tried, best first: Claude, Gemini, Codex.
_MODES: Mapping[str, tuple[str, ...]] = {
    "ask": ("default", "read-only"),
    "edit": ("acceptEdits", "autoEdit", "workspace-write", "auto"),
    "all": ("bypassPermissions", "yolo", "full-access", "agent-full-access"),
}


class PermissionDecision(NamedTuple):
    """The answer to a permission request."""

    is_allowed: bool
    rule: str
    option: Record  # the option that was chosen; empty when none fits

    @property
    def outcome(self) -> dict[str, Any]:
        if not self.option:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": self.option.get("optionId")}}


def decide(permissions: str | None, kind: str, options: Iterable[Any]) -> PermissionDecision:
    """Allow once what the task permits and deny the rest, without asking the user."""
    allowed = _ALLOWED[permissions or "ask"]
    rule = f"permissions: {permissions}" if permissions else "no permissions set"
    is_allowed = allowed is None or kind in allowed
    wanted = ("allow_once", "allow_always") if is_allowed else ("reject_once", "reject_always")
    offered = [dict_of(option) for option in options]
    choice = next((option for name in wanted for option in offered if option.get("kind") == name), {})
    return PermissionDecision(is_allowed and bool(choice), rule, choice)


def question_of(evidence: Mapping[str, Any], options: Iterable[Any], *, outlives: bool) -> Question:
    """The request as a question, with the options of the agent; declining is always possible."""
    tool, title = str(evidence["tool"]), text_or_empty(evidence.get("text"))
    offered = [
        AnswerOption(
            option["optionId"],
            text_or_empty(option.get("name")) or option["optionId"],
            _EFFECTS.get(text_or_empty(option.get("kind")), Effect.REPLY),
        )
        for option in map(dict_of, options)
        if text_or_empty(option.get("optionId"))
    ]
    can_decline = any(option.effect is Effect.DENY for option in offered)
    return Question(
        kind=QuestionKind.PERMISSION,
        title=title if title.startswith(tool) else f"{tool}: {title}",
        reason=tool,
        evidence=evidence,
        options=(*offered, *(() if can_decline else (DENY,))),
        takes_text=True,
        outlives=outlives,
    )


def decided(answered: AnsweredQuestion, options: Iterable[Any]) -> PermissionDecision:
    """The decision of a person; words without an option decline."""
    offered = [dict_of(option) for option in options]
    choice = next((option for option in offered if option.get("optionId") == answered.answer.option), None)
    if choice is None:
        choice = next((option for option in offered if option.get("kind") == "reject_once"), {})
    is_allowed = bool(choice) and _EFFECTS.get(text_or_empty(choice.get("kind"))) is not Effect.DENY
    return PermissionDecision(is_allowed, "asked", choice)


def permission_notice(decision: PermissionDecision, function: str, title: str, params: Record) -> Message:
    """The request and its answer as a message."""
    options = [text_or_empty(dict_of(option).get("name")) for option in list_of(params.get("options"))]
    verb = "allowed" if decision.is_allowed else "denied"
    answer = f'answered "{decision.option.get("name")}"' if decision.option else "no offered option fits"
    call = f"{function}: {title}" if title and title != function else function
    text = f"Permission {verb} ({decision.rule}) for {call}\n{answer}; offered: {', '.join(options) or 'nothing'}"
    return notice(text, "permission", {**params, "decision": verb, "rule": decision.rule, **decision.outcome})


def fitting_mode(permissions: str | None, offered: Iterable[str]) -> str | None:
    """The mode of the agent for these permissions; None when it offers none that is known."""
    names = set(offered)
    return next((mode for mode in _MODES.get(permissions or "", ()) if mode in names), None)
