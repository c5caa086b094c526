"""What the page of a show tells about a real show: attempts, decisions, usage against the budget, changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.show_harness import TOPIC, ShowHarness
from tests.support.studio import application

from lionstudio.studio.schemas import shows

CHECK = ["sh", "-c", "! grep -r TODO src"]
PLAYS: dict[str, Any] = {
    "good": "@usage 100 20 3000\n@write src/good.txt fine\n@say done",
    "bad": {"prompt": "@usage 50 5\n@write src/bad.txt TODO\n@say done", "max_attempts": 2},
    "api": {"prompt": "@write src/api.txt same", "depends_on": ["good"], "gates": [{"person": "Is the API the same?"}]},
    "late": {"prompt": "@write src/late.txt x", "depends_on": ["bad"]},
}

pytestmark = pytest.mark.sqlite  # the home is seeded before the application starts


@pytest.fixture
def harness(tmp_path: Path) -> ShowHarness:
    harness = ShowHarness(tmp_path)
    harness.write_plan(PLAYS, gates=[{"command": CHECK}], budget={"tokens": 1000, "cost": 5})
    return harness


def by_name(plays: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {play["name"]: play for play in plays}


def test_show_says_what_it_waits_for_and_what_it_used(harness: ShowHarness) -> None:
    harness.direct()
    with application(harness.root) as studio:
        show, listed = studio.get(f"/api/shows/{TOPIC}"), studio.get("/api/shows")["shows"][0]
    shows.ShowView.model_validate(show, strict=True)
    plays = by_name(show["plays"])

    assert (show["state"]["label"], listed["state"]["label"]) == ("waits for you: 2", "waits for you: 2")
    assert {wait["play"]: wait["kind"] for wait in show["waits_for"]} == {"bad": "escalation", "api": "gate"}
    assert show["waits_for"] == listed["waits_for"]
    assert [badge["label"] for badge in plays["api"]["badges"]] == ["needs you", "local"]
    # a blocked play waits for its blocker
    assert (plays["late"]["blocked_by"], plays["late"]["state"]["health"]) == (["bad"], "ok")
    assert (plays["bad"]["usage"]["total"], plays["good"]["usage"]["cost_microusd"]) == (110, 3000)
    assert (show["usage"]["total"], show["usage"]["unpriced_tokens"]) == (230, 110)
    assert listed["usage"] == show["usage"]
    assert [(part["part"], part["spent"], part["limit"]) for part in show["budget"]] == [
        ("tokens", 230, 1000),
        ("cost_microusd", 3000, 5_000_000),
    ]
    assert show["commit"] == harness.git("rev-parse", f"show/{TOPIC}/integration")
    assert (show["directed"], "resume" in show["actions"]) == (False, True)


def test_timeline_has_a_bar_for_each_attempt_with_its_gates_and_waits(harness: ShowHarness) -> None:
    harness.direct()
    with application(harness.root) as studio:
        timeline = studio.get(f"/api/shows/{TOPIC}/timeline")
    shows.ShowTimeline.model_validate(timeline, strict=True)
    plays = by_name(timeline["plays"])
    kinds = {
        name: [[phase["kind"] for phase in attempt["phases"]] for attempt in play["attempts"]]
        for name, play in plays.items()
    }

    assert set(plays) == {"good", "bad", "api"}
    assert [attempt["attempt"] for attempt in plays["bad"]["attempts"]] == [1, 2]
    assert [kind[0] for kind in kinds["bad"]] == ["agent", "agent"]
    assert all("gate" in kind for kind in kinds["bad"])
    assert [kinds["bad"][0][-1], kinds["bad"][1][-1], kinds["api"][0][-1]] == ["gate", "wait", "wait"]
    assert plays["api"]["attempts"][0]["phases"][-1]["to"] is None
    sessions = [attempt["session_id"] for play in plays.values() for attempt in play["attempts"]]
    assert None not in sessions
    assert len(set(sessions)) == len(sessions)


def test_decisions_name_the_user_the_play_and_a_failed_gate(harness: ShowHarness) -> None:
    harness.direct()
    assert harness.li("show", "approve", TOPIC, "bad", "--yes").code == 0
    assert harness.li("show", "reject", TOPIC, "api", "--feedback", "Keep the old name.").code == 0
    with application(harness.root) as studio:
        decisions = studio.get(f"/api/shows/{TOPIC}/decisions")
    shows.Decisions.model_validate(decisions, strict=True)
    rejected, approved, *asked = decisions["decisions"]
    printed = harness.li("show", "log", TOPIC, "bad", "--decisions")

    assert rejected["sentence"] == "you rejected api"
    assert (rejected["detail"], rejected["via"], rejected["attempt"]) == ("Keep the old name.", "terminal", 1)
    assert approved["sentence"] == "you approved bad although its gate failed"
    assert (approved["overrides"], approved["session_id"]) == (True, harness.meta("bad")["session_id"])
    assert {entry["kind"] for entry in asked} == {"asked"}
    assert "you approved bad although its gate failed" in printed.out
    assert "rejected api" not in printed.out


def test_changes_count_files_and_lines_of_each_play(harness: ShowHarness) -> None:
    harness.direct()
    with application(harness.root) as studio:
        changes = studio.get(f"/api/shows/{TOPIC}/changes")
    shows.ShowChanges.model_validate(changes, strict=True)

    one_line = {"files": 1, "additions": 1, "deletions": 0}
    assert changes["plays"] == {"good": one_line, "bad": one_line, "api": one_line}


@pytest.mark.parametrize("route", ["timeline", "decisions", "changes"])
def test_show_that_is_only_a_folder_has_no_activity(tmp_path: Path, route: str) -> None:
    folder = tmp_path / "shows" / "old"
    (folder / "play").mkdir(parents=True)
    (folder / "_show.md").write_text("# Old\n")
    (folder / "play" / "_meta.json").write_text('{"status": "merged"}')
    (folder / "_decisions.jsonl").write_text(
        '{"what": "decision", "word": "approve", "play": "../../x", "attempt": 1}\n[3]\n\0'
    )
    with application(tmp_path) as studio:
        answer = studio.get(f"/api/shows/old/{route}")

    if route == "decisions":
        assert [entry["sentence"] for entry in answer["decisions"]] == ["an unknown user approved ../../x"]
    else:
        assert not answer["plays"]
