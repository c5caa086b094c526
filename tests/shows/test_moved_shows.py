"""The integration branch moves while a play runs or waits: gates, reviewers and people see the merge result."""

from __future__ import annotations

import threading

from tests.support.show_harness import ShowHarness

from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.shows.records.decisions import Decision, save_decision


def approve(harness: ShowHarness, play: str) -> None:
    count = len((harness.show_dir / "_decisions.jsonl").read_text().splitlines())
    save_decision(
        str(harness.show_dir), play, Decision(f"approve-{count}", DecisionKind.APPROVE, harness.meta(play)["attempt"])
    )


def test_gates_run_on_the_merge_result(harness: ShowHarness) -> None:
    """Both plays pass alone and fail together."""
    both = {"command": ["sh", "-c", "! { test -e a.txt && test -e b.txt; }"]}
    wait = "@run sh -c 'while [ ! -e {go} ]; do sleep 0.05; done'"
    go = harness.root / "go"
    harness.write_plan(
        {"a": "@write a.txt alpha", "b": {"prompt": wait.format(go=go) + "\n@write b.txt beta", "max_attempts": 1}},
        gates=[both],
    )
    thread = threading.Thread(target=harness.direct)
    thread.start()
    harness.wait_until(lambda: harness.meta("a").get("status") == "merged")
    go.touch()
    thread.join(60)

    assert harness.statuses() == {"a": "merged", "b": "escalated"}
    assert harness.rows()[0] == "active"
    harness.assert_consistent()


def test_review_prompt_shows_the_diff_of_the_merge(harness: ShowHarness) -> None:
    """Work that another play merged meanwhile is not shown as deleted."""
    agents = harness.home / "agents"
    agents.mkdir(parents=True)
    (agents / "critic.md").write_text("---\nprovider: script\n---\nLook.\n")
    wait = f"@run sh -c 'while [ ! -e {harness.root}/go ]; do sleep 0.05; done'"
    harness.write_plan(
        {
            "a": "@write alpha.txt a",
            "b": {"prompt": f"{wait}\n@write beta.txt b", "max_attempts": 1, "gates": [{"review": "critic"}]},
        }
    )
    thread = threading.Thread(target=harness.direct)
    thread.start()
    harness.wait_until(lambda: harness.meta("a").get("status") == "merged")
    (harness.root / "go").touch()
    thread.join(60)

    asked = next((harness.show_dir / "b" / "attempts" / "1").glob("review-*/prompt.md")).read_text()
    change = asked.partition("## The change")[2]
    assert "+++ b/beta.txt" in change
    assert "alpha.txt" not in change


def test_approval_runs_gates_again_when_the_branch_moved(harness: ShowHarness) -> None:
    """Both plays pass alone; the second fails after the first is merged."""
    both = {"command": ["sh", "-c", "! { test -e a.txt && test -e b.txt; }"]}
    harness.write_plan(
        {"a": "@write a.txt a", "b": {"prompt": "@write b.txt b", "max_attempts": 1}},
        gates=[both, {"person": "look at it"}],
    )
    harness.direct()
    assert harness.statuses() == {"a": "gated", "b": "gated"}
    approve(harness, "a")
    harness.direct()
    approve(harness, "b")
    harness.direct()

    assert harness.statuses() == {"a": "merged", "b": "escalated"}
    approve(harness, "b")  # now against its gates
    assert harness.direct() == "aborted"  # the gate runs on the whole at the end, and fails
    harness.assert_consistent()
