"""Decisions of a person and questions of the director about a show, as typed data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from lionstudio.model.coerce import to_enum
from lionstudio.model.json_codec import load_or_keep


class DecisionKind(StrEnum):
    """Decision of a person about a play."""

    APPROVE = "approve"
    REJECT = "reject"
    REDO = "redo"
    ESCALATE = "escalate"


class QuestionKind(StrEnum):
    """Subject of a question; each kind has its own answers."""

    BUDGET = "budget"
    FINAL = "final"  # the final gates passed, and a person's gate remains
    OTHER = "other"


class BudgetPart(StrEnum):
    """Part of a budget that can run out."""

    TOKENS = "tokens"
    MONEY = "money"
    TIME = "time"

    @property
    def exhausted(self) -> str:
        return f"{_BUDGET_NAMES[self]} budget exhausted"


_BUDGET_NAMES = {BudgetPart.TOKENS: "token", BudgetPart.MONEY: "cost", BudgetPart.TIME: "time"}


class Question(NamedTuple):
    """An open question of the director about the show itself."""

    reason: str
    at: float | None = None
    kind: QuestionKind = QuestionKind.OTHER
    part: BudgetPart | None = None  # for kind BUDGET


# version 0.1 stored these texts in place of `kind` and `part`
_BUDGET_0_1 = re.compile(r"the budget of (tokens|money|time) is used up")
_FINAL_0_1 = "the final gates passed"


def _kind_of_0_1(reason: str) -> dict[str, str]:
    if match := _BUDGET_0_1.match(reason):
        return {"kind": QuestionKind.BUDGET, "part": match[1]}
    return {"kind": QuestionKind.FINAL} if reason.startswith(_FINAL_0_1) else {}


def parse_open_question(lines: Iterable[str]) -> Question | None:
    """Return the last question about the show that no later decision answers, from lines of `_decisions.jsonl`."""
    question: Question | None = None
    for line in lines:
        entry = load_or_keep(line)
        if not isinstance(entry, dict) or entry.get("play") is not None:
            continue
        if entry.get("what") == "asked" and isinstance(entry.get("reason"), str):
            at = entry.get("logged_at")
            kind = entry if "kind" in entry else _kind_of_0_1(entry["reason"])
            question = Question(
                entry["reason"],
                at if isinstance(at, (int, float)) else None,
                to_enum(QuestionKind, kind.get("kind")) or QuestionKind.OTHER,
                to_enum(BudgetPart, kind.get("part")),
            )
        elif entry.get("what") == "decision":
            question = None
    return question
