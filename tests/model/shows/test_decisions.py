"""The open question of a show, parsed from lines of `_decisions.jsonl`."""

from __future__ import annotations

import json

import pytest

from lionstudio.model.shows.decisions import BudgetPart, ShowQuestion, ShowQuestionKind, parse_open_question


def line(what: str, **facts: object) -> str:
    return json.dumps({"logged_at": 5.0, "what": what, "play": None, "reason": "why", **facts})


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], None),
        ([line("asked")], ShowQuestion("why", 5.0)),
        ([line("asked", kind="final")], ShowQuestion("why", 5.0, ShowQuestionKind.FINAL)),
        (
            [line("asked", kind="budget", part="money", logged_at=None)],
            ShowQuestion("why", None, ShowQuestionKind.BUDGET, BudgetPart.MONEY),
        ),
        ([line("asked", kind="new", part=3)], ShowQuestion("why", 5.0)),
        ([line("asked"), line("asked", reason="later")], ShowQuestion("later", 5.0)),
        ([line("asked"), line("decision", word="approve")], None),
        ([line("asked"), line("decision", play="a", word="approve")], ShowQuestion("why", 5.0)),
        ([line("asked", play="a"), "not JSON", "[]", line("asked", reason=1)], None),
    ],
)
def test_parse_open_question(lines: list[str], expected: ShowQuestion | None) -> None:
    assert parse_open_question(lines) == expected


@pytest.mark.parametrize(
    ("reason", "kind", "part"),
    [
        ("the budget of tokens is used up: approve more, or edit the plan", "budget", "tokens"),
        ("the budget of money is used up: approve more, or edit the plan", "budget", "money"),
        ("the final gates passed and a person has to look: approve or reject the show", "final", None),
        ("nothing can go on", "other", None),
    ],
)
def test_parse_open_question_reads_version_0_1(reason: str, kind: str, part: str | None) -> None:
    question = parse_open_question([json.dumps({"what": "asked", "play": None, "reason": reason})])

    assert question is not None
    assert (question.kind, question.part) == (kind, part)


def test_budget_part_exhausted_names_every_part() -> None:
    assert [part.exhausted for part in BudgetPart] == [
        "token budget exhausted",
        "cost budget exhausted",
        "time budget exhausted",
    ]
