"""What a person may say about a show or a play now, and what will come of it; pages render it and decide nothing.

The same word does different things at different times: a gated play that is rejected goes back to its agent, an
escalated one is given up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lionstudio.model.shows.decisions import Question, QuestionKind
from lionstudio.model.status.statuses import PLAY_TRANSITIONS, PlayStatus

# Where each word of a person means something; `li show` has the last word, and a test holds the two together.
_JUDGED = frozenset({PlayStatus.GATED, PlayStatus.GATE_FAILED, PlayStatus.ESCALATED})
_WORDS: Mapping[str, frozenset[PlayStatus]] = {
    "approve": _JUDGED,
    "reject": _JUDGED,
    "redo": _JUDGED | {PlayStatus.RUNNING, PlayStatus.RUNNING_COMPLETE, PlayStatus.ABORTED_AFTER_FINISH},
    "escalate": frozenset(status for status, after in PLAY_TRANSITIONS.items() if PlayStatus.ESCALATED in after),
}
_OF_SHOWS: Mapping[str, tuple[str, ...]] = {
    "active": ("resume", "abort"),
    "aborted": ("resume",),
    "imported": ("resume",),
    "completed": (),
}
_ANSWERS: Mapping[QuestionKind, tuple[str, ...]] = {
    QuestionKind.BUDGET: ("approve",),
    QuestionKind.FINAL: ("approve", "reject"),
    QuestionKind.OTHER: ("approve", "reject"),
}
_DANGEROUS = frozenset({"abort"})


def play_actions(status: str) -> list[str]:
    """What a person may say about a play."""
    return [word for word, statuses in _WORDS.items() if status in statuses]


def show_actions(status: str, *, asked: Question | None = None, began: bool = True) -> list[str]:
    """What a person may say about a show; the answers to what it asks come first."""
    usual = _OF_SHOWS.get(status, ())
    if status != "active":
        return list(usual)
    return [*answers_to(asked), *(usual if began else ("run", "abort"))]


def answers_to(asked: Question | None) -> tuple[str, ...]:
    """The words that answer a question; refusing means nothing to a budget, which is granted or not."""
    return () if asked is None else _ANSWERS[asked.kind]


def has_begun(statuses: Sequence[str | None]) -> bool:
    """Whether any play of a show was ever taken up."""
    return any(status not in (None, PlayStatus.PENDING) for status in statuses)


def describe_play_actions(name: str, status: str) -> list[dict[str, Any]]:
    """Each action of a play with its sentence and what has to be given."""
    return [
        _deed(word, word.capitalize(), _about_play(word, name, status), _said_about_play(word, status))
        for word in play_actions(status)
    ]


def describe_show_actions(topic: str, actions: Sequence[str], asked: Question | None) -> list[dict[str, Any]]:
    """The same for a show."""
    return [_deed_of_show(word, topic, asked) for word in actions]


def _about_play(word: str, name: str, status: str) -> str:
    if word == "approve" and status == PlayStatus.GATED:
        return f"{name} passes your gate and is merged."
    if word == "approve":
        return f"{name} is merged as it is, whatever its gates said."
    if word == "reject" and status == PlayStatus.ESCALATED:
        return f"{name} is given up; what depends on it stays blocked."
    if word == "reject":
        return f"{name} goes back to its agent with your feedback; without attempts left it waits for a person."
    if word == "redo":
        stopped = "Its agent is stopped, and " if status == PlayStatus.RUNNING else ""
        return f"{stopped}{name} is done once more, in a new attempt."
    return f"{name} stops here and waits for a person; what depends on it is blocked."


def _said_about_play(word: str, status: str) -> list[dict[str, Any]]:
    if word == "approve":
        return []
    if word == "reject" and status != PlayStatus.ESCALATED:
        return [_field("feedback", "What has to be different", "lines", required=True)]
    return [_field("feedback", "What has to be different this time" if word == "redo" else "Why", "lines")]


def _deed_of_show(word: str, topic: str, asked: Question | None) -> dict[str, Any]:
    if word == "approve" and asked is not None and asked.kind is QuestionKind.BUDGET:
        what = f"{topic} goes on and may spend so much more than its plan says."
        return _deed(word, "Grant more", what, [_AMOUNTS[asked.part]])
    last = asked is not None and asked.kind is QuestionKind.FINAL
    sentences = {
        "run": f"{topic} starts: plays that wait for nothing begin.",
        "resume": f"{topic} goes on where it stopped; nothing that is done is done again.",
        "abort": f"{topic} ends: agents that run are stopped, what is merged stays merged.",
        "approve": f"{topic} is completed."
        if last
        else f"{topic} is taken as it is: its final gates look at what is merged, and it ends.",
        "reject": f"{topic} ends as aborted; what is merged stays merged.",
    }
    return _deed(word, word.capitalize(), sentences[word], [])


def _deed(action: str, label: str, what: str, fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {"action": action, "label": label, "what": what, "danger": action in _DANGEROUS, "fields": fields}


def _field(name: str, label: str, kind: str, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "label": label, "kind": kind, "required": required}


_AMOUNTS: Mapping[str | None, dict[str, Any]] = {
    "tokens": _field("tokens", "How many tokens more", "number", required=True),
    "money": _field("cost", "How many dollars more", "number", required=True),
    "time": _field("time", "How much time more (90s, 30m, 2h)", "text", required=True),
}
