"""Whole shows with scripted agents: dependencies, gates, redo, conflicts, people, limits, budgets, edits, aborts."""

from __future__ import annotations

import http.server
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.children import environment
from tests.support.show_harness import TOPIC, Theatre

from lionstudio.errors import InvalidInput, LionError
from lionstudio.shows.attempt.attempt_files import read_json
from lionstudio.shows.director.events import DecisionKind
from lionstudio.shows.execute import budget, outcomes
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.process.lock import acquire_director_lock, start_director
from lionstudio.shows.records.decisions import Decision, decide
from lionstudio.state.database import reading
from lionstudio.state.shows import get_show, list_plays, play_of_session
from lionstudio.system.session_processes import processes_of

ONCE = "@run sh -c 'if [ -e bad ]; then rm bad; else touch bad; fi'"
NOT_BAD = [{"command": ["test", "!", "-e", "bad"]}]


@pytest.fixture
def theatre(tmp_path: Path) -> Theatre:
    return Theatre(tmp_path)


def say(theatre: Theatre, play: str | None, word: DecisionKind, **more: Any) -> None:
    attempt = theatre.meta(play)["attempt"] if play is not None else None
    decide(str(theatre.show_dir), play, Decision(f"{word}-{time.time_ns()}", word, attempt, **more))


def test_a_show_from_plan_to_merge(theatre: Theatre) -> None:
    theatre.plan(
        {
            "a": "@write a.txt alpha",
            "b": "@write b.txt beta",
            "c": {"prompt": "@run cat a.txt b.txt\n@write c.txt gamma", "depends_on": ["a", "b"]},
        }
    )
    assert theatre.direct() == "completed"

    assert theatre.files() == {"README": "one\ntwo\nthree", "a.txt": "alpha", "b.txt": "beta", "c.txt": "gamma"}
    assert theatre.runs() == theatre.merged() == {"a": 1, "b": 1, "c": 1}
    assert theatre.rows() == ("completed", {"a": "merged", "b": "merged", "c": "merged"})
    theatre.assert_whole()
    with reading(str(theatre.home / "state.db")) as conn:
        for play in list_plays(conn, get_show(conn, TOPIC).id):
            assert play.session_id is not None
            found = play_of_session(conn, play.session_id)
            assert found is not None
            assert (found.topic, found.play.name) == (TOPIC, play.name)
            row = conn.first_dict("SELECT name, invocation_kind FROM sessions WHERE id = :id", {"id": play.session_id})
            assert row == {"name": f"show_{TOPIC}_{play.name}", "invocation_kind": "show-play"}


def test_a_play_belongs_to_the_project_of_the_repository(theatre: Theatre) -> None:
    theatre.plan({"a": "@write a.txt a"})
    assert theatre.direct() == "completed"

    with reading(str(theatre.home / "state.db")) as conn:
        assert conn.all("SELECT project FROM sessions") == [(theatre.repo.name,)]


def test_the_durable_engine_gives_the_same(theatre: Theatre) -> None:
    theatre.plan({"a": "@write a.txt alpha", "b": {"prompt": ONCE, "depends_on": ["a"]}}, gates=NOT_BAD)
    done = theatre.li("show", "run", TOPIC, "--json")

    assert done.code == 0, (done, theatre.log())
    assert json.loads(done.out.splitlines()[-1])["status"] == "completed"
    assert theatre.runs() == {"a": 1, "b": 2}
    theatre.assert_whole()
    assert theatre.li("show", "run", TOPIC).err.startswith(f"Show {TOPIC} ended: completed\n")
    assert theatre.runs() == {"a": 1, "b": 2}


def test_a_failed_gate_is_redone_with_what_it_said(theatre: Theatre) -> None:
    theatre.plan({"a": ONCE + "\n@write a.txt alpha"}, gates=NOT_BAD)
    assert theatre.direct() == "completed"

    assert theatre.runs() == {"a": 2}
    assert "test ! -e bad" in (theatre.show_dir / "a" / "_prompt.md").read_text()
    first = json.loads((theatre.show_dir / "a" / "attempts" / "1" / "verdict.json").read_text())
    second = json.loads((theatre.show_dir / "a" / "attempts" / "2" / "verdict.json").read_text())
    assert (first["gate_passed"], second["gate_passed"]) == (False, True)
    theatre.assert_whole()


def test_a_conflict_goes_back_to_the_agent(theatre: Theatre) -> None:
    go = theatre.root / "go"
    slow = (
        f'@run sh -c \'if grep -q "^<<<<<<<" README; then printf "both\\n" > README; else '
        f'while [ ! -e {go} ]; do sleep 0.05; done; printf "theirs\\n" > README; fi\''
    )
    theatre.plan({"a": "@write README ours", "b": slow})
    thread = threading.Thread(target=theatre.direct)
    thread.start()
    theatre.until(lambda: theatre.meta("a").get("status") == "merged")
    go.touch()
    thread.join(60)

    assert theatre.statuses() == {"a": "merged", "b": "merged"}
    assert theatre.runs() == {"a": 1, "b": 2}
    assert theatre.files()["README"] == "both"
    assert "> README" in (theatre.show_dir / "b" / "_prompt.md").read_text()
    theatre.assert_whole()


def test_who_cannot_do_it_is_escalated_and_others_are_blocked(theatre: Theatre) -> None:
    theatre.plan(
        {"a": "@fail 3 no idea", "b": {"prompt": "@write b.txt b", "depends_on": ["a"]}, "c": "@write c.txt c"},
        max_attempts=2,
    )
    theatre.direct()

    assert theatre.statuses() == {"a": "escalated", "b": "blocked", "c": "merged"}
    assert theatre.runs() == {"a": 2, "c": 1}
    assert "no idea" in theatre.meta("a")["reason"]
    assert theatre.meta("b")["blocked_by"] == ["a"]
    assert any("demo/a" in warning for warning in theatre.warnings)
    say(theatre, "a", DecisionKind.APPROVE)
    assert theatre.direct() == "completed"
    assert theatre.statuses() == {"a": "merged", "b": "merged", "c": "merged"}
    assert theatre.runs() == {"a": 2, "b": 1, "c": 1}
    theatre.assert_whole()


def test_a_person_is_the_last_gate(theatre: Theatre) -> None:
    theatre.plan({"a": "@write a.txt a", "b": "@write b.txt b"}, gates=[{"person": "look at it"}])
    theatre.direct()
    assert theatre.statuses() == {"a": "gated", "b": "gated"}
    say(theatre, "a", DecisionKind.APPROVE)
    say(theatre, "b", DecisionKind.REJECT, feedback="not nice")
    theatre.direct()

    assert theatre.statuses() == {"a": "merged", "b": "gated"}
    assert theatre.runs() == {"a": 1, "b": 2}
    assert "not nice" in (theatre.show_dir / "b" / "_prompt.md").read_text()
    say(theatre, "b", DecisionKind.APPROVE)
    assert theatre.direct() == "completed"
    theatre.assert_whole()


def test_a_usage_limit_parks_without_using_up_an_attempt(theatre: Theatre) -> None:
    """The first run says when it may go on; the second is the same conversation."""
    until = time.time() + 4
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(until))
    script = f"@run sh -c 'test -e seen && touch done; touch seen'\n@limit usage limit; resets at {moment}"
    theatre.plan({"a": script}, max_attempts=1)
    thread = threading.Thread(target=theatre.direct)
    thread.start()
    theatre.until(lambda: theatre.meta("a").get("parked_until"))
    assert theatre.statuses() == {"a": "prepared"}
    first = theatre.meta("a")["resume"]
    # the limit is over: what comes now is another word
    text = (theatre.show_dir / "_show.md").read_text()
    (theatre.show_dir / "_show.md").write_text(text.replace(f"\\n@limit usage limit; resets at {moment}", ""))
    thread.join(60)

    assert theatre.statuses() == {"a": "merged"}
    assert theatre.meta("a")["attempt"] == 1
    assert theatre.runs() == {"a": 2}
    assert "done" in theatre.files()
    with reading(str(theatre.home / "state.db")) as conn:
        metadata = conn.value(
            "SELECT node_metadata FROM sessions WHERE id = :id", {"id": theatre.meta("a")["session_id"]}
        )
    assert json.loads(metadata)["resumed_from"] == first
    theatre.assert_whole()


def test_a_budget_stops_dispatching_and_asks(theatre: Theatre) -> None:
    theatre.plan(
        {"a": "@usage 90 20\n@say spent", "b": {"prompt": "@usage 90 20\n@say spent", "depends_on": ["a"]}},
        budget={"tokens": 100},
    )
    theatre.direct()
    assert theatre.statuses() == {"a": "merged", "b": "pending"}
    assert any("budget of tokens is used up" in warning for warning in theatre.warnings)
    say(theatre, None, DecisionKind.APPROVE, budget={"tokens": 100})

    assert theatre.direct() == "completed"
    assert theatre.statuses() == {"a": "merged", "b": "merged"}
    theatre.assert_whole()


def test_plays_at_a_time_for_the_show_and_for_a_provider(theatre: Theatre) -> None:
    """Each notes how many are there beside it."""
    room = theatre.root / "room"
    room.mkdir()
    busy = f"@run sh -c 'touch {room}/$$; ls {room} | wc -l >> {theatre.root}/most; sleep 0.4; rm {room}/$$'"
    theatre.plan(dict.fromkeys("abcdef", busy), concurrency=3, provider_limits={"script": 2})
    assert theatre.direct() == "completed"

    assert max(int(line) for line in (theatre.root / "most").read_text().split()) == 2


def test_an_edit_is_taken_up_and_logged(theatre: Theatre) -> None:
    theatre.plan({"a": "@fail 1 no"}, max_attempts=1)
    thread = threading.Thread(
        target=lambda: theatre.direct(
            leave=lambda resting: bool(theatre.meta("c")) and theatre.meta("c").get("status") == "merged"
        )
    )
    thread.start()
    theatre.until(lambda: theatre.meta("a").get("status") == "escalated")
    good = (theatre.show_dir / "_show.md").read_text()
    (theatre.show_dir / "_show.md").write_text("---\nplays: [\n---\n")
    theatre.until(lambda: any("not taken up" in warning for warning in theatre.warnings))
    theatre.plan({"a": "@fail 1 no", "c": "@write c.txt c"}, max_attempts=1)
    assert (theatre.show_dir / "_show.md").read_text() != good
    thread.join(60)

    assert theatre.statuses() == {"a": "escalated", "c": "merged"}
    log = [json.loads(line) for line in (theatre.show_dir / "_decisions.jsonl").read_text().splitlines()]
    assert [line["what"] for line in log if "plan" in line["what"]] == ["plan refused", "plan edited"]


@pytest.mark.parametrize("supervised", [True, False], ids=["supervised", "supervisor killed"])
def test_an_abort_ends_agents_also_when_the_plan_is_broken(theatre: Theatre, supervised: bool) -> None:
    theatre.plan({"a": "@run sleep 300"})
    director = theatre.start()
    theatre.until(lambda: theatre.runs()["a"])
    director.kill()
    director.communicate()
    plan = theatre.show_dir / "_show.md"
    good = plan.read_text()
    plan.write_text("---\nplays: [\n---\n")
    attempt, session_id = theatre.show_dir / "a" / "attempts" / "1", theatre.meta("a")["session_id"]
    if not supervised:
        os.kill(_supervisor(attempt), signal.SIGKILL)

    done = theatre.li("show", "abort", TOPIC)
    assert done.code == 1
    assert "stopped 1 agent of demo, but could not record the abort: the director" in done.err
    theatre.until(lambda: not processes_of(session_id))

    plan.write_text(good)
    assert theatre.li("show", "abort", TOPIC).code == 0
    theatre.until_left()
    assert theatre.statuses() == {"a": "aborted_after_finish"}
    assert theatre.runs() == {"a": 1}
    theatre.assert_whole()


def _supervisor(attempt: Path) -> int:
    """The process whose last word is the folder of an attempt."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            words = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
            if os.fsencode(attempt) in words and b"lionstudio.shows.attempt.supervisor" in words:
                return int(entry)
    raise AssertionError("nobody supervises it")


def test_a_person_may_stop_an_agent_and_have_it_redone(theatre: Theatre) -> None:
    theatre.plan({"a": "@run sh -c 'test -e seen || { touch seen; sleep 300; }'"})
    thread = threading.Thread(target=theatre.direct)
    thread.start()
    theatre.until(lambda: theatre.runs()["a"])
    say(theatre, "a", DecisionKind.REDO, feedback="once more")
    thread.join(60)

    assert theatre.statuses() == {"a": "merged"}
    assert theatre.meta("a")["attempt"] == 2
    assert theatre.runs() == {"a": 2}


def test_final_gates_end_the_show(theatre: Theatre) -> None:
    theatre.plan({"a": "@write a.txt a"}, final_gates=[{"command": ["test", "-e", "missing"]}])
    assert theatre.direct() == "aborted"

    final = json.loads((theatre.show_dir / "_final_verdict.json").read_text())
    assert final["show_passed"] is False
    assert theatre.rows() == ("aborted", {"a": "merged"})


def test_a_reviewer_gives_a_verdict(theatre: Theatre) -> None:
    agents = theatre.home / "agents"
    agents.mkdir(parents=True)
    (agents / "critic.md").write_text("---\nprovider: script\n---\nLook.\n")
    theatre.plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[{"review": "critic"}])
    theatre.direct()

    # a scripted reviewer answers with an echo, which is no verdict
    assert theatre.statuses() == {"a": "escalated"}
    verdict = json.loads((theatre.show_dir / "a" / "_verdict.json").read_text())
    assert verdict["gate_passed"] is False
    assert verdict["checks"][-1]["kind"] == "review"


def test_a_usage_limit_of_the_reviewer_uses_up_no_attempt(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "_SHORTEST_PARK", 0.2)
    agents = theatre.home / "agents"
    agents.mkdir(parents=True)
    (agents / "critic.md").write_text("---\nprovider: script\n---\nLook.\n")
    gate = {"review": "critic", "prompt": "@limit usage limit; resets at 2026-01-01T00:00:00Z"}
    # an empty file, because a script knows no word for what a patch with lines in it says
    theatre.plan({"a": {"prompt": "@run touch a.txt", "max_attempts": 1}}, gates=[gate])
    thread = threading.Thread(target=theatre.direct)
    thread.start()
    theatre.until(lambda: len(list(theatre.show_dir.glob("a/attempts/1/**/review-*/exit.json"))) >= 2)
    assert theatre.statuses() == {"a": "running_complete"}
    assert theatre.meta("a")["attempt"] == 1
    assert any("its reviewer critic has reached a usage limit" in line for line in theatre.warnings)
    assert not (theatre.show_dir / "a" / "_verdict.json").exists()

    (theatre.show_dir / "_ABORT").write_text("\n")
    thread.join(60)
    assert (theatre.rows()[0], theatre.meta("a")["attempt"]) == ("aborted", 1)


def test_either_half_is_enough(theatre: Theatre) -> None:
    theatre.plan(
        {"a": "@write a.txt a", "b": {"prompt": "@write b.txt b", "depends_on": ["a"]}}, gates=[{"person": "look"}]
    )
    theatre.direct()
    say(theatre, "a", DecisionKind.APPROVE)
    theatre.direct()
    assert theatre.statuses() == {"a": "merged", "b": "gated"}
    # the files alone
    for path in theatre.home.glob("state.db*"):
        path.unlink()
    theatre.direct()
    assert theatre.rows() == ("active", {"a": "merged", "b": "gated"})
    # the rows alone
    shutil.rmtree(theatre.show_dir)
    theatre.show_dir.mkdir()
    say_without_meta(theatre, "b")
    theatre.direct()

    assert theatre.statuses() == {"a": "merged", "b": "merged"}
    assert theatre.runs() == {"a": 1, "b": 1}


def say_without_meta(theatre: Theatre, play: str) -> None:
    (theatre.show_dir / play).mkdir()
    decide(str(theatre.show_dir), play, Decision("late", DecisionKind.APPROVE, 1))


def test_leaving_ends_nothing_and_coming_back_watches(theatre: Theatre) -> None:
    go = theatre.root / "go"
    theatre.plan({"a": f"@run sh -c 'while [ ! -e {go} ]; do sleep 0.05; done'"})
    done = theatre.li("show", "run", TOPIC, "--detach", "--json")
    assert (done.code, json.loads(done.out)["started"]) == (0, True)
    theatre.until(lambda: theatre.runs()["a"])
    pid = theatre.director
    again = theatre.li("show", "run", TOPIC, "--detach", "--json")
    assert json.loads(again.out)["started"] is False
    assert theatre.director == pid
    go.touch()

    assert theatre.li("show", "run", TOPIC).code == 0
    assert theatre.runs() == {"a": 1}
    theatre.assert_whole()


def test_who_starts_a_show_at_the_same_moment_attaches_to_it(theatre: Theatre) -> None:
    theatre.plan({"a": "@say a"})
    with acquire_director_lock(str(theatre.show_dir)):  # the other one has the show, and is not ready yet
        start_director(str(theatre.show_dir), [], environment(**theatre.env))
    (theatre.show_dir / "_show.md").write_text("no plan")
    with pytest.raises(LionError, match="did not start"):
        start_director(str(theatre.show_dir), [], environment(**theatre.env))


def test_plays_at_a_time_are_set_beside_what_is_granted(theatre: Theatre) -> None:
    theatre.plan({"a": "@say a"})
    folder = str(theatre.show_dir)
    budget.set_concurrency(folder, 7)
    before = read_json(os.path.join(folder, budget.GRANTED))
    assert budget.grant(folder, "one", {"tokens": 5})
    budget.set_concurrency(folder, 8)
    assert budget.extended_budget(folder) == {"tokens": 5, "concurrency": 8}
    assert before is None  # only the director writes that file
    assert not budget.grant(folder, "one", {"tokens": 5})


def test_no_wait_leaves_when_a_person_is_needed(theatre: Theatre) -> None:
    theatre.plan({"a": "@fail 1 no"}, max_attempts=1)
    done = theatre.li("show", "run", TOPIC, "--foreground", "--no-wait")

    assert done.code == 1
    assert f"li show resume {TOPIC}" in done.err
    assert theatre.statuses() == {"a": "escalated"}


def test_who_tells_a_person_gets_no_keys(theatre: Theatre) -> None:
    told = theatre.root / "told"
    command = ["sh", "-c", f"env > {told}.new; mv {told}.new {told}"]
    theatre.env |= {"ANTHROPIC_API_KEY": "sk-secret-123", "MY_TOKEN": "abcdefgh", "DBUS_SESSION_BUS_ADDRESS": "unix:x"}
    theatre.plan({"a": "@fail 1 no"}, max_attempts=1, notify={"desktop": False, "command": command})
    theatre.direct()
    theatre.until(told.exists)

    names = {line.partition("=")[0] for line in told.read_text().splitlines()}
    assert {"PATH", "DBUS_SESSION_BUS_ADDRESS"} <= names
    assert not {"ANTHROPIC_API_KEY", "MY_TOKEN", "LIONAGI_HOME"} & names


def test_people_are_told_by_command_and_by_webhook(theatre: Theatre) -> None:
    told: list[dict[str, Any]] = []

    class Hook(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        by_command = theatre.root / "told"
        notify = {
            "desktop": False,
            "webhook": f"http://127.0.0.1:{server.server_port}/",
            "command": ["sh", "-c", f"cat > {by_command}.new; mv {by_command}.new {by_command}"],
        }
        theatre.plan({"a": "@fail 1 no idea"}, max_attempts=1, notify=notify)
        theatre.direct()
        theatre.until(lambda: told and by_command.exists())
        server.shutdown()

    assert told == [json.loads(by_command.read_text())]
    assert (told[0]["show"], told[0]["play"], told[0]["attempt"]) == (TOPIC, "a", 1)
    assert "no idea" in told[0]["text"]
    assert told[0]["session_id"] == theatre.meta("a")["session_id"]


def test_a_notification_that_fails_holds_nothing_up(theatre: Theatre) -> None:
    theatre.plan({"a": "@fail 1 no"}, max_attempts=1, notify={"webhook": "http://127.0.0.1:9/", "command": ["/no"]})
    theatre.direct()

    assert theatre.statuses() == {"a": "escalated"}
    theatre.until(lambda: sum("did not get through" in warning for warning in theatre.warnings) == 2)


@pytest.mark.parametrize(("agent", "reason"), [("nobody", "there is no agent or provider 'nobody'"), ("openai", "")])
def test_an_agent_that_cannot_run_is_escalated_at_once(theatre: Theatre, agent: str, reason: str) -> None:
    theatre.plan({"a": {"agent": agent}, "b": "@write b.txt b"})
    theatre.direct()

    assert theatre.statuses() == {"a": "escalated", "b": "merged"}
    assert reason in theatre.meta("a")["reason"]


def test_a_repository_without_a_commit_is_refused(theatre: Theatre) -> None:
    empty = theatre.root / "empty"
    subprocess.run(["git", "init", "-q", str(empty)], check=True)
    theatre.plan({"a": "@say a"}, repo=str(empty))
    with pytest.raises(InvalidInput):
        theatre.direct()

    done = theatre.li("show", "run", TOPIC)
    assert done.code == 1
    assert "the director did not start" in done.err
    assert "Traceback" not in done.err


def test_an_agent_that_deletes_its_checkout(theatre: Theatre) -> None:
    theatre.plan({"a": {"prompt": "@run sh -c 'rm -rf \"$PWD\"'", "max_attempts": 2}, "b": "@write b.txt b"})
    theatre.direct()

    assert theatre.statuses()["b"] == "merged"
    assert theatre.statuses()["a"] in ("escalated", "merged")
    assert theatre.meta("a").get("reason") or theatre.meta("a").get("changed") == 0
    theatre.assert_whole()


def test_waiting_costs_a_few_looks(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """A director that waits runs no statement and starts no process."""
    theatre.plan({name: {"prompt": "@fail 1 no", "max_attempts": 1} for name in "abc"})
    theatre.direct()
    looks = 0
    statements: list[str] = []

    def leave(resting: bool) -> bool:
        nonlocal looks
        looks += resting
        if looks == 1:
            monkeypatch.setattr(Executor, "tick", lambda self: statements.append("tick"))
        return looks > 3

    theatre.direct(leave=leave)
    assert statements == []
