"""Whole shows with scripted agents: dependencies, gates, redo, conflicts, people, limits, budgets, edits, aborts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from typing import Any

import pytest
from tests.support.children import environment
from tests.support.show_harness import TOPIC, ShowHarness, process_with

from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.shows.granted_budget import read_grants
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.shows.show_files import GRANTED_BUDGET
from lionstudio.shows.execute import budget, outcomes
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.process.lock import acquire_director_lock, start_director
from lionstudio.shows.records.decisions import Decision, save_decision
from lionstudio.state.database import reading
from lionstudio.state.sessions import get_session
from lionstudio.state.shows import get_show, list_plays, play_of_session
from lionstudio.system.json_read import find_object
from lionstudio.system.session_processes import processes_of

ONCE = "@run sh -c 'if [ -e bad ]; then rm bad; else touch bad; fi'"
NOT_BAD = [{"command": ["test", "!", "-e", "bad"]}]


def say(harness: ShowHarness, play: str | None, kind: DecisionKind, **more: Any) -> None:
    attempt = harness.meta(play)["attempt"] if play is not None else None
    save_decision(str(harness.show_dir), play, Decision(f"{kind}-{time.time_ns()}", kind, attempt, **more))


def test_show_runs_from_plan_to_merge(harness: ShowHarness) -> None:
    harness.write_plan(
        {
            "a": "@write a.txt alpha",
            "b": "@write b.txt beta",
            "c": {"prompt": "@run cat a.txt b.txt\n@write c.txt gamma", "depends_on": ["a", "b"]},
        }
    )
    assert harness.direct() == "completed"

    assert harness.files() == {"README": "one\ntwo\nthree", "a.txt": "alpha", "b.txt": "beta", "c.txt": "gamma"}
    assert harness.runs() == harness.merged() == {"a": 1, "b": 1, "c": 1}
    assert harness.rows() == ("completed", {"a": "merged", "b": "merged", "c": "merged"})
    harness.assert_consistent()
    with reading(str(harness.home / "state.db")) as conn:
        for play in list_plays(conn, get_show(conn, TOPIC).id):
            assert play.session_id is not None
            linked = play_of_session(conn, play.session_id)
            assert linked is not None
            assert (linked.topic, linked.play.name) == (TOPIC, play.name)
            row = conn.first_dict("SELECT name, invocation_kind FROM sessions WHERE id = :id", {"id": play.session_id})
            assert row == {"name": f"show_{TOPIC}_{play.name}", "invocation_kind": "show-play"}


def test_session_of_a_play_has_the_project_of_the_repository(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"})
    assert harness.direct() == "completed"

    with reading(str(harness.home / "state.db")) as conn:
        assert conn.all("SELECT project FROM sessions") == [(harness.repo.name,)]


def test_durable_engine_gives_the_same_result(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt alpha", "b": {"prompt": ONCE, "depends_on": ["a"]}}, gates=NOT_BAD)
    done = harness.li("show", "run", TOPIC, "--json")

    assert done.code == 0, (done, harness.log())
    assert json.loads(done.out.splitlines()[-1])["status"] == "completed"
    assert harness.runs() == {"a": 1, "b": 2}
    harness.assert_consistent()
    assert harness.li("show", "run", TOPIC).err.startswith(f"Show {TOPIC} ended: completed\n")
    assert harness.runs() == {"a": 1, "b": 2}


def test_failed_gate_redoes_the_play_with_its_feedback(harness: ShowHarness) -> None:
    harness.write_plan({"a": ONCE + "\n@write a.txt alpha"}, gates=NOT_BAD)
    assert harness.direct() == "completed"

    assert harness.runs() == {"a": 2}
    assert "test ! -e bad" in (harness.show_dir / "a" / "_prompt.md").read_text()
    first = json.loads((harness.show_dir / "a" / "attempts" / "1" / "verdict.json").read_text())
    second = json.loads((harness.show_dir / "a" / "attempts" / "2" / "verdict.json").read_text())
    assert (first["gate_passed"], second["gate_passed"]) == (False, True)
    with reading(str(harness.home / "state.db")) as conn:
        again = get_session(conn, harness.meta("a")["session_id"])
        assert again.retries is not None
        assert get_session(conn, again.retries).show_play_name == "a"
    harness.assert_consistent()


def test_merge_conflict_returns_to_the_agent(harness: ShowHarness) -> None:
    go = harness.root / "go"
    slow = (
        f'@run sh -c \'if grep -q "^<<<<<<<" README; then printf "both\\n" > README; else '
        f'while [ ! -e {go} ]; do sleep 0.05; done; printf "theirs\\n" > README; fi\''
    )
    harness.write_plan({"a": "@write README ours", "b": slow})
    thread = threading.Thread(target=harness.direct)
    thread.start()
    harness.wait_until(lambda: harness.meta("a").get("status") == "merged")
    go.touch()
    thread.join(60)

    assert harness.statuses() == {"a": "merged", "b": "merged"}
    assert harness.runs() == {"a": 1, "b": 2}
    assert harness.files()["README"] == "both"
    assert "> README" in (harness.show_dir / "b" / "_prompt.md").read_text()
    harness.assert_consistent()


def test_failed_play_is_escalated_and_blocks_dependents(harness: ShowHarness) -> None:
    harness.write_plan(
        {"a": "@fail 3 no idea", "b": {"prompt": "@write b.txt b", "depends_on": ["a"]}, "c": "@write c.txt c"},
        max_attempts=2,
    )
    harness.direct()

    assert harness.statuses() == {"a": "escalated", "b": "blocked", "c": "merged"}
    assert harness.runs() == {"a": 2, "c": 1}
    assert "no idea" in harness.meta("a")["reason"]
    assert harness.meta("b")["blocked_by"] == ["a"]
    assert any("demo/a" in warning for warning in harness.warnings)
    say(harness, "a", DecisionKind.APPROVE)
    assert harness.direct() == "completed"
    assert harness.statuses() == {"a": "merged", "b": "merged", "c": "merged"}
    assert harness.runs() == {"a": 2, "b": 1, "c": 1}
    harness.assert_consistent()


def test_person_gate_waits_for_approval(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a", "b": "@write b.txt b"}, gates=[{"person": "look at it"}])
    harness.direct()
    assert harness.statuses() == {"a": "gated", "b": "gated"}
    say(harness, "a", DecisionKind.APPROVE)
    say(harness, "b", DecisionKind.REJECT, feedback="not nice")
    harness.direct()

    assert harness.statuses() == {"a": "merged", "b": "gated"}
    assert harness.runs() == {"a": 1, "b": 2}
    assert "not nice" in (harness.show_dir / "b" / "_prompt.md").read_text()
    say(harness, "b", DecisionKind.APPROVE)
    assert harness.direct() == "completed"
    harness.assert_consistent()


def test_usage_limit_parks_a_play_without_using_an_attempt(harness: ShowHarness) -> None:
    """The first session says when the limit ends; the second resumes its conversation."""
    until = time.time() + 8
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(until))
    script = f"@run sh -c 'test -e seen && touch done; touch seen'\n@limit usage limit; resets at {moment}"
    harness.write_plan({"a": script}, max_attempts=1)
    thread = threading.Thread(target=harness.direct)
    thread.start()
    harness.wait_until(lambda: harness.meta("a").get("parked_until"))
    assert harness.statuses() == {"a": "prepared"}
    first = harness.meta("a")["resume"]
    # the limit is over: what comes now is another word
    text = (harness.show_dir / "_show.md").read_text()
    (harness.show_dir / "_show.md").write_text(text.replace(f"\\n@limit usage limit; resets at {moment}", ""))
    assert harness.li("show", "approve", TOPIC, "--yes").code == 0  # a script is a program
    thread.join(60)

    assert harness.statuses() == {"a": "merged"}
    assert harness.meta("a")["attempt"] == 1
    assert harness.runs() == {"a": 2}
    assert "done" in harness.files()
    with reading(str(harness.home / "state.db")) as conn:
        session = get_session(conn, harness.meta("a")["session_id"])
    assert session.continues == first
    harness.assert_consistent()


def test_exhausted_budget_starts_nothing_and_asks(harness: ShowHarness) -> None:
    harness.write_plan(
        {"a": "@usage 90 20\n@say spent", "b": {"prompt": "@usage 90 20\n@say spent", "depends_on": ["a"]}},
        budget={"tokens": 100},
    )
    harness.direct()
    assert harness.statuses() == {"a": "merged", "b": "pending"}
    assert any("token budget exhausted" in warning for warning in harness.warnings)
    say(harness, None, DecisionKind.APPROVE, budget={"tokens": 100})

    assert harness.direct() == "completed"
    assert harness.statuses() == {"a": "merged", "b": "merged"}
    harness.assert_consistent()


def test_concurrency_is_limited_for_the_show_and_for_a_provider(harness: ShowHarness) -> None:
    """Each agent records how many run at the same time."""
    room = harness.root / "room"
    room.mkdir()
    alone = f"[ $(ls {room} | wc -l) -lt 2 ] && [ $i -lt 100 ]"  # an agent waits for the other one, for ten seconds
    wait = f"i=0; while {alone}; do sleep 0.1; i=$((i+1)); done"
    busy = f"@run sh -c 'touch {room}/$$; {wait}; ls {room} | wc -l >> {harness.root}/most; sleep 0.4; rm {room}/$$'"
    harness.write_plan(dict.fromkeys("abcdef", busy), concurrency=3, provider_limits={"script": 2})
    assert harness.direct() == "completed"

    assert max(int(line) for line in (harness.root / "most").read_text().split()) == 2


def test_plan_edit_is_applied_and_logged(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@fail 1 no"}, max_attempts=1)
    thread = threading.Thread(
        target=lambda: harness.direct(
            leave=lambda resting: bool(harness.meta("c")) and harness.meta("c").get("status") == "merged"
        )
    )
    thread.start()
    harness.wait_until(lambda: harness.meta("a").get("status") == "escalated")
    good = (harness.show_dir / "_show.md").read_text()
    (harness.show_dir / "_show.md").write_text("---\nplays: [\n---\n")
    harness.wait_until(lambda: any("is ignored" in warning for warning in harness.warnings))
    harness.write_plan({"a": "@fail 1 no", "c": "@write c.txt c"}, max_attempts=1)
    assert (harness.show_dir / "_show.md").read_text() != good
    thread.join(60)

    assert harness.statuses() == {"a": "escalated", "c": "merged"}
    log = [json.loads(line) for line in (harness.show_dir / "_decisions.jsonl").read_text().splitlines()]
    assert [line["what"] for line in log if "plan" in line["what"]] == ["plan refused", "plan edited"]


@pytest.mark.parametrize("supervised", [True, False], ids=["supervised", "supervisor killed"])
def test_abort_ends_agents_with_an_invalid_plan(harness: ShowHarness, supervised: bool) -> None:
    harness.write_plan({"a": "@run sleep 300"})
    director = harness.start()
    harness.wait_until(lambda: harness.runs()["a"])
    director.kill()
    director.communicate()
    plan = harness.show_dir / "_show.md"
    good = plan.read_text()
    plan.write_text("---\nplays: [\n---\n")
    attempt, session_id = harness.show_dir / "a" / "attempts" / "1", harness.meta("a")["session_id"]
    if not supervised:
        os.kill(process_with(str(attempt), "lionstudio.shows.attempt.supervisor"), signal.SIGKILL)

    done = harness.li("show", "abort", TOPIC)
    assert done.code == 1
    assert "stopped 1 agent of demo, but could not record the abort: the director" in done.err
    harness.wait_until(lambda: not processes_of(session_id))

    plan.write_text(good)
    assert harness.li("show", "abort", TOPIC).code == 0
    harness.wait_until_director_exits()
    assert harness.statuses() == {"a": "aborted_after_finish"}
    assert harness.runs() == {"a": 1}
    harness.assert_consistent()


def test_redo_stops_a_running_agent(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@run sh -c 'test -e seen || { touch seen; sleep 300; }'"})
    thread = threading.Thread(target=harness.direct)
    thread.start()
    # not just that it runs: an agent that is stopped before its command leaves the long sleep to the next one
    harness.wait_until(lambda: os.path.exists(os.path.join(harness.meta("a").get("worktree") or "", "seen")))
    say(harness, "a", DecisionKind.REDO, feedback="once more")
    thread.join(60)

    assert harness.statuses() == {"a": "merged"}
    assert harness.meta("a")["attempt"] == 2
    assert harness.runs() == {"a": 2}


def test_final_gates_decide_the_end_of_the_show(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"}, final_gates=[{"command": ["test", "-e", "missing"]}])
    assert harness.direct() == "aborted"

    final = json.loads((harness.show_dir / "_final_verdict.json").read_text())
    assert final["show_passed"] is False
    assert harness.rows() == ("aborted", {"a": "merged"})


def test_review_gate_records_the_verdict(harness: ShowHarness) -> None:
    agents = harness.home / "agents"
    agents.mkdir(parents=True)
    (agents / "critic.md").write_text("---\nprovider: script\n---\nLook.\n")
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[{"review": "critic"}])
    harness.direct()

    # a scripted reviewer echoes its prompt, which is not a verdict
    assert harness.statuses() == {"a": "escalated"}
    verdict = json.loads((harness.show_dir / "a" / "_verdict.json").read_text())
    assert verdict["gate_passed"] is False
    assert verdict["checks"][-1]["kind"] == "review"


def test_usage_limit_of_a_reviewer_uses_no_attempt(harness: ShowHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "_SHORTEST_PARK", 0.2)
    agents = harness.home / "agents"
    agents.mkdir(parents=True)
    limit = "@limit usage limit; resets at 2026-01-01T00:00:00Z"
    (agents / "critic.md").write_text(f"---\nprovider: script\n---\n{limit}\n")
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[{"review": "critic"}])
    thread = threading.Thread(target=harness.direct)
    thread.start()
    harness.wait_until(lambda: len(list(harness.show_dir.glob("a/attempts/1/**/review-*/exit.json"))) >= 2)
    assert harness.statuses() == {"a": "running_complete"}
    assert harness.meta("a")["attempt"] == 1
    assert any("the reviewer critic reached a usage limit" in line for line in harness.warnings)
    assert not (harness.show_dir / "a" / "_verdict.json").exists()

    (harness.show_dir / "_ABORT").write_text("\n")
    thread.join(60)
    assert (harness.rows()[0], harness.meta("a")["attempt"]) == ("aborted", 1)


def test_resume_from_files_or_rows_alone(harness: ShowHarness) -> None:
    harness.write_plan(
        {"a": "@write a.txt a", "b": {"prompt": "@write b.txt b", "depends_on": ["a"]}}, gates=[{"person": "look"}]
    )
    harness.direct()
    say(harness, "a", DecisionKind.APPROVE)
    harness.direct()
    assert harness.statuses() == {"a": "merged", "b": "gated"}
    # the files alone
    for path in harness.home.glob("state.db*"):
        path.unlink()
    harness.direct()
    assert harness.rows() == ("active", {"a": "merged", "b": "gated"})
    # the rows alone
    shutil.rmtree(harness.show_dir)
    harness.show_dir.mkdir()
    say_without_meta(harness, "b")
    harness.direct()

    assert harness.statuses() == {"a": "merged", "b": "merged"}
    assert harness.runs() == {"a": 1, "b": 1}


def say_without_meta(harness: ShowHarness, play: str) -> None:
    (harness.show_dir / play).mkdir()
    save_decision(str(harness.show_dir), play, Decision("late", DecisionKind.APPROVE, 1))


def test_detach_keeps_the_show_running_and_run_reattaches(harness: ShowHarness) -> None:
    go = harness.root / "go"
    harness.write_plan({"a": f"@run sh -c 'while [ ! -e {go} ]; do sleep 0.05; done'"})
    done = harness.li("show", "run", TOPIC, "--detach", "--json")
    assert (done.code, json.loads(done.out)["started"]) == (0, True)
    harness.wait_until(lambda: harness.runs()["a"])
    pid = harness.director
    again = harness.li("show", "run", TOPIC, "--detach", "--json")
    assert json.loads(again.out)["started"] is False
    assert harness.director == pid
    go.touch()

    assert harness.li("show", "run", TOPIC).code == 0
    assert harness.runs() == {"a": 1}
    harness.assert_consistent()


def test_start_director_attaches_to_a_concurrent_director(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@say a"})
    with acquire_director_lock(str(harness.show_dir)):  # the other one has the show, and is not ready yet
        start_director(str(harness.show_dir), [], environment(**harness.env))
    (harness.show_dir / "_show.md").write_text("no plan")
    with pytest.raises(LionError, match="did not start"):
        start_director(str(harness.show_dir), [], environment(**harness.env))


def test_set_concurrency_is_separate_from_granted_budget(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@say a"})
    folder = str(harness.show_dir)
    budget.set_concurrency(folder, 7)
    before = find_object(os.path.join(folder, GRANTED_BUDGET))
    assert budget.grant(folder, "one", {"tokens": 5})
    budget.set_concurrency(folder, 8)
    assert read_grants(folder) == {"tokens": 5, "concurrency": 8}
    assert before is None  # only the director writes that file
    assert not budget.grant(folder, "one", {"tokens": 5})


def test_no_wait_exits_when_a_person_is_needed(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@fail 1 no"}, max_attempts=1)
    done = harness.li("show", "run", TOPIC, "--foreground", "--no-wait")

    assert done.code == 1
    assert f"li show resume {TOPIC}" in done.err
    assert harness.statuses() == {"a": "escalated"}


@pytest.mark.parametrize(("agent", "reason"), [("missing", "no agent or provider is named 'missing'"), ("openai", "")])
def test_unusable_agent_is_escalated_at_once(harness: ShowHarness, agent: str, reason: str) -> None:
    harness.write_plan({"a": {"agent": agent}, "b": "@write b.txt b"})
    harness.direct()

    assert harness.statuses() == {"a": "escalated", "b": "merged"}
    assert reason in harness.meta("a")["reason"]


def test_repository_without_a_commit_is_refused(harness: ShowHarness) -> None:
    empty = harness.root / "empty"
    subprocess.run(["git", "init", "-q", str(empty)], check=True)
    harness.write_plan({"a": "@say a"}, repo=str(empty))
    with pytest.raises(InvalidInput):
        harness.direct()

    done = harness.li("show", "run", TOPIC)
    assert done.code == 1
    assert "the director did not start" in done.err
    assert "Traceback" not in done.err


def test_agent_that_deletes_its_checkout(harness: ShowHarness) -> None:
    harness.write_plan({"a": {"prompt": "@run sh -c 'rm -rf \"$PWD\"'", "max_attempts": 2}, "b": "@write b.txt b"})
    harness.direct()

    assert harness.statuses()["b"] == "merged"
    assert harness.statuses()["a"] in ("escalated", "merged")
    assert harness.meta("a").get("reason") or harness.meta("a").get("changed") == 0
    harness.assert_consistent()


def test_director_is_woken_by_files(harness: ShowHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A director that never looks by itself: the end of an agent, a rest and a decision wake it."""
    for name in ("inbox._LOOK_SECONDS", "process._LOOK_SECONDS"):
        monkeypatch.setattr(f"lionstudio.shows.process.{name}", 3600.0)
    monkeypatch.setattr("lionstudio.shows.execute.open_show._LOOK_SECONDS", 3600.0)
    harness.write_plan({"a": "@write a.txt a"}, gates=["person"])
    rests: list[bool] = []

    def leave(resting: bool) -> bool:
        if resting and not rests:
            rests.append(resting)
            say(harness, "a", DecisionKind.APPROVE)
        return False

    assert harness.direct(leave=leave) == "completed"
    assert harness.statuses() == {"a": "merged"}


def test_waiting_director_runs_no_statements(harness: ShowHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A waiting director runs no statement and starts no process."""
    monkeypatch.setattr("lionstudio.shows.process.process._LOOK_SECONDS", 0.1)
    monkeypatch.setattr("lionstudio.shows.process.inbox._LOOK_SECONDS", 0.1)
    harness.write_plan({name: {"prompt": "@fail 1 no", "max_attempts": 1} for name in "abc"})
    harness.direct()
    looks = 0
    statements: list[str] = []

    def leave(resting: bool) -> bool:
        nonlocal looks
        looks += resting
        if looks == 1:
            monkeypatch.setattr(Executor, "tick", lambda self: statements.append("tick"))
        return looks > 3

    harness.direct(leave=leave)
    assert statements == []
