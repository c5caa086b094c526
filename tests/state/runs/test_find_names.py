"""How well a typed text fits a name."""

from __future__ import annotations

import pytest
from tests.support.builders import begin, read

from lionstudio.state.database import Database
from lionstudio.state.runs.find_names import EXACT, PART, START, WORDS, find_runs, rank_name


@pytest.mark.parametrize(
    ("name", "typed", "rank"),
    [
        ("Review-board", "review-board", EXACT),
        ("review-board", "rev", START),
        ("review-board", "rev bo", WORDS),
        ("review_board", "board", WORDS),
        ("review-board", "bo rev", PART),
        ("review-board", "oard", PART),
        ("review-board", "audit", None),
        ("review-board", "-", None),
    ],
)
def test_rank_name_orders_matches(name: str, typed: str, rank: int | None) -> None:
    assert rank_name(name, typed) == rank


def test_find_runs_by_the_start_of_the_id_of_a_vendor(db: Database) -> None:
    begin(db, "ours", conversation_id="6f1c2d3e-aaaa")
    begin(db, "other", conversation_id="6f1c2d3f-aaaa")

    assert [(found.id, found.rank) for found in read(db, find_runs, "6f1c2d3e")] == [("ours", START)]
    assert read(db, find_runs, "6f1c2d3") == []
