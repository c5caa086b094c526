"""Entries of the decision log in words."""

from __future__ import annotations

from typing import Any

import pytest

from lionstudio.model.shows.decision_entries import parse_decision

BY = {"logged_at": 5.0, "at": 4.0, "by": "ann", "origin": {"via": "http"}}


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"what": "decision", "word": "approve", "play": "bench", **BY}, "you approved bench"),
        ({"what": "decision", "word": "redo", "play": "bench", **BY}, "you sent bench back for another attempt"),
        (
            {"what": "decision", "word": "approve", "budget": {"tokens": 5000, "cost_microusd": 2_500_000}, **BY},
            "you raised the budget by 5,000 tokens, $2.50",
        ),
        (
            {"what": "decision", "word": "approve", "plan": "a" * 64, "commits": ["b"], **BY},
            "you accepted the edited plan and 1 commit on the integration branch",
        ),
        ({"what": "decision", "word": "reject", **BY, "by": "bob"}, "bob rejected the show"),
        (
            {"what": "decision", "word": "approve", "play": "x", "force": True, **BY},
            "you approved x, conflict markers included",
        ),
        ({"what": "abort", **BY}, "you aborted the show"),
        ({"what": "refused", "action": "approve", "play": "x"}, "an agent tried to approve x and was refused"),
        ({"what": "asked", "play": "x", "reason": "why"}, "the director asked about x"),
        ({"what": "decision", "word": "approve", "play": "x"}, "an unknown user approved x"),
    ],
)
def test_parse_decision_says_who_did_what(record: dict[str, Any], sentence: str) -> None:
    entry = parse_decision(record)

    assert entry is not None
    assert entry.sentence("ann") == sentence


def test_parse_decision_marks_an_approval_against_a_failed_gate() -> None:
    entry = parse_decision({"what": "decision", "word": "approve", "play": "bench", **BY}, gate_failed=True)

    assert entry is not None
    assert entry.sentence("ann") == "you approved bench although its gate failed"
    assert (entry.overrides, entry.via, entry.at) == (True, "page", 4.0)


@pytest.mark.parametrize("record", [{"what": "answered"}, {"what": 3}, {}])
def test_parse_decision_leaves_out_what_is_not_an_entry(record: dict[str, Any]) -> None:
    assert parse_decision(record) is None


@pytest.mark.parametrize(
    "record",
    [
        {"what": "decision", "word": ["x"], "play": {"a": 1}, "at": "soon", "origin": 3, "budget": "much"},
        {"what": "refused", "action": None, "origin": {"processes": "x"}},
        {"what": "decision", "commits": 7, "plan": 1},
    ],
)
def test_parse_decision_survives_records_of_other_programs(record: dict[str, Any]) -> None:
    entry = parse_decision(record)

    assert entry is not None
    assert isinstance(entry.sentence(None), str)
