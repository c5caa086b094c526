"""Decisions of a person and questions of the director about a show, as typed data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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


class ReasonCode(StrEnum):
    """Cause of a transition that later code depends on; `_meta.json` and the row store it as `reason_code`."""

    SHOW_ABORTED = "show_aborted"  # resuming the show runs the play again
    REJECTED = "rejected"  # a person gave the play up; resuming the show leaves it
    LEFT_OUT = "left_out"  # its gates passed, but changed files are in no commit
    STEERING_FILES = "steering_files"  # its gates passed, but it changes files that steer agents


# The gates passed, and a person decides all the same: another attempt would be escalated again.
GATES_PASSED = frozenset({ReasonCode.LEFT_OUT, ReasonCode.STEERING_FILES})


class ShowQuestionKind(StrEnum):
    """Subject of a question; each kind has its own answers."""

    BUDGET = "budget"
    FINAL = "final"  # the final gates passed, and a person's gate remains
    PLAN = "plan"  # an edit of the plan weakens the show
    COMMITS = "commits"  # commits that the show did not make are on its integration branch
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


def foreign_reason(shas: Sequence[str], dropped: Sequence[str] = ()) -> str:
    """Say which commits are on the integration branch without a merge of the show, and which merges are gone."""
    reasons = []
    if shas:
        reasons.append(f"the integration branch has commits that this show did not make: {_list_shas(shas)}")
    if dropped:
        reasons.append(f"merges of this show are missing from the integration branch: {_list_shas(dropped)}")
    return "; ".join(reasons)


def _list_shas(shas: Sequence[str]) -> str:
    names = ", ".join(sha[:12] for sha in shas[:5])
    return f"{names} and {len(shas) - 5} more" if len(shas) > 5 else names


class ShowQuestion(NamedTuple):
    """An open question of the director about the show itself."""

    reason: str
    at: float | None = None
    kind: ShowQuestionKind = ShowQuestionKind.OTHER
    part: BudgetPart | None = None  # for kind BUDGET


# version 0.1 stored these texts in place of `kind` and `part`
_BUDGET_0_1 = re.compile(r"the budget of (tokens|money|time) is used up")
_FINAL_0_1 = "the final gates passed"


def _kind_of_0_1(reason: str) -> dict[str, str]:
    if match := _BUDGET_0_1.match(reason):
        return {"kind": ShowQuestionKind.BUDGET, "part": match[1]}
    return {"kind": ShowQuestionKind.FINAL} if reason.startswith(_FINAL_0_1) else {}


def parse_open_question(lines: Iterable[str]) -> ShowQuestion | None:
    """Return the last question about the show that no later decision answers, from lines of `_decisions.jsonl`."""
    question: ShowQuestion | None = None
    for line in lines:
        entry = load_or_keep(line)
        if not isinstance(entry, dict) or entry.get("play") is not None:
            continue
        if entry.get("what") == "asked" and isinstance(entry.get("reason"), str):
            at = entry.get("logged_at")
            kind = entry if "kind" in entry else _kind_of_0_1(entry["reason"])
            question = ShowQuestion(
                entry["reason"],
                at if isinstance(at, (int, float)) else None,
                to_enum(ShowQuestionKind, kind.get("kind")) or ShowQuestionKind.OTHER,
                to_enum(BudgetPart, kind.get("part")),
            )
        elif entry.get("what") in ("decision", "answered"):
            question = None
    return question
