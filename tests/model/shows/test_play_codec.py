"""The codec of a play: files to row, row to file, and values of any type."""

from __future__ import annotations

from typing import Any

import pytest

from lionstudio.model.shows.play_codec import (
    COLUMNS,
    meta_columns,
    meta_from_play,
    parse_columns,
    parse_gate,
    play_from_meta,
    typed_meta,
    typed_verdict,
)
from lionstudio.model.shows.show import Play
from lionstudio.model.status.statuses import PlayStatus

META: dict[str, Any] = {
    "status": "merged",
    "attempt": 2,
    "depends_on": ["a", "b"],
    "worktree": "/w",
    "branch": "show/t/p",
    "started_at": 1.0,
    "ended_at": 2.0,
    "exit_code": 0,
    "merged_at": 3.0,
    "merge_sha": "abc",
    "effort": "high",
    "playbook": "build",
    "session_id": "s",
    "reason_code": "rejected",
}


def test_meta_of_a_play_survives_the_row() -> None:
    play = play_from_meta(Play(id="i", show_id="s", name="p", created_at=1.0), META, {"gate_passed": True})

    assert (play.status, play.depends_on, play.gate_passed) == (PlayStatus.MERGED, ("a", "b"), True)
    assert play.metadata == {"meta": {"session_id": "s", "reason_code": "rejected"}}
    assert meta_from_play(play) == META
    assert meta_columns(play) == {name: META[name] for name in ("status", "attempt", *COLUMNS)}


def test_play_from_meta_keeps_what_the_file_leaves_open() -> None:
    base = play_from_meta(Play(id="i", show_id="s", name="p", created_at=1.0), META, None)

    assert play_from_meta(base, {"session_id": "s", "reason_code": "rejected"}, None) == base
    redone = play_from_meta(base, {"ended_at": None, "playbook": None, "exit_code": "many"}, None)
    assert (redone.ended_at, redone.playbook, redone.exit_code) == (None, "build", 0)


def test_play_from_meta_keeps_an_unknown_status_in_the_metadata() -> None:
    play = play_from_meta(Play(show_id="s", name="p", status=PlayStatus.GATED), {"status": "odd"}, None)

    assert (play.status, play.metadata) == (PlayStatus.PENDING, {"meta": {"status": "odd"}})


@pytest.mark.parametrize("value", [None, True, [], {}, "x", 2**70, float("nan")])
def test_parse_columns_and_parse_gate_accept_any_value(value: Any) -> None:
    parsed = {**parse_columns(dict.fromkeys(COLUMNS, value)), **parse_gate({"gate_passed": value, "feedback": value})}

    Play(show_id="s", name="p", **parsed).to_dict("db")
    assert set(parsed) == {*COLUMNS, "gate_passed", "gate_feedback"}


def test_typed_meta_and_typed_verdict_drop_values_of_another_type() -> None:
    meta = {"status": 5, "attempt": True, "started_at": "2026-01-01", "worktree": ["x"], "other": [1]}

    assert typed_meta(meta) == {
        "status": None,
        "attempt": None,
        "started_at": "2026-01-01",
        "worktree": None,
        "other": [1],
    }
    assert typed_verdict({"gate_passed": 1, "feedback": "f"}) == {"gate_passed": None, "feedback": "f"}
