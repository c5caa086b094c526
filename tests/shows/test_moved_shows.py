"""A branch that moves on while a play is at work or waits: what gates, reviewers and people look at is the merge."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.support.show_harness import ShowHarness

from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.shows.records.decisions import Decision, save_decision


@pytest.fixture
def theatre(tmp_path: Path) -> ShowHarness:
    return ShowHarness(tmp_path)


def approve(theatre: ShowHarness, play: str) -> None:
    count = len((theatre.show_dir / "_decisions.jsonl").read_text().splitlines())
    save_decision(
        str(theatre.show_dir), play, Decision(f"approve-{count}", DecisionKind.APPROVE, theatre.meta(play)["attempt"])
    )


def test_gates_look_at_the_merge_result(theatre: ShowHarness) -> None:
    """Each is fine alone; together they are not."""
    both = {"command": ["sh", "-c", "! { test -e a.txt && test -e b.txt; }"]}
    wait = "@run sh -c 'while [ ! -e {go} ]; do sleep 0.05; done'"
    go = theatre.root / "go"
    theatre.plan(
        {"a": "@write a.txt alpha", "b": {"prompt": wait.format(go=go) + "\n@write b.txt beta", "max_attempts": 1}},
        gates=[both],
    )
    thread = threading.Thread(target=theatre.direct)
    thread.start()
    theatre.until(lambda: theatre.meta("a").get("status") == "merged")
    go.touch()
    thread.join(60)

    assert theatre.statuses() == {"a": "merged", "b": "escalated"}
    assert theatre.rows()[0] == "active"
    theatre.assert_whole()


def test_a_reviewer_is_shown_what_merging_changes(theatre: ShowHarness) -> None:
    """What another play has merged meanwhile is no deletion of this one."""
    agents = theatre.home / "agents"
    agents.mkdir(parents=True)
    (agents / "critic.md").write_text("---\nprovider: script\n---\nLook.\n")
    wait = f"@run sh -c 'while [ ! -e {theatre.root}/go ]; do sleep 0.05; done'"
    theatre.plan(
        {
            "a": "@write alpha.txt a",
            "b": {"prompt": f"{wait}\n@write beta.txt b", "max_attempts": 1, "gates": [{"review": "critic"}]},
        }
    )
    thread = threading.Thread(target=theatre.direct)
    thread.start()
    theatre.until(lambda: theatre.meta("a").get("status") == "merged")
    (theatre.root / "go").touch()
    thread.join(60)

    asked = next((theatre.show_dir / "b" / "attempts" / "1").glob("review-*/prompt.md")).read_text()
    change = asked.partition("## The change")[2]
    assert "+++ b/beta.txt" in change
    assert "alpha.txt" not in change


def test_who_approves_does_not_wave_through_what_was_merged_meanwhile(theatre: ShowHarness) -> None:
    """Both pass alone; the second does not any more when the first is in."""
    both = {"command": ["sh", "-c", "! { test -e a.txt && test -e b.txt; }"]}
    theatre.plan(
        {"a": "@write a.txt a", "b": {"prompt": "@write b.txt b", "max_attempts": 1}},
        gates=[both, {"person": "look at it"}],
    )
    theatre.direct()
    assert theatre.statuses() == {"a": "gated", "b": "gated"}
    approve(theatre, "a")
    theatre.direct()
    approve(theatre, "b")
    theatre.direct()

    assert theatre.statuses() == {"a": "merged", "b": "escalated"}
    approve(theatre, "b")  # now against its gates
    assert theatre.direct() == "completed"
    theatre.assert_whole()
