"""Watching a show: the picture on a terminal, lines in a pipe, and leaving it without ending anything."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.support.commands import on_terminal
from tests.support.show_harness import TOPIC, ShowHarness

from lionstudio.cli._show.render import head
from lionstudio.cli._show.snapshot import take_snapshot
from lionstudio.shows.process.lock import has_director
from lionstudio.state.database import reading


@pytest.fixture
def harness(tmp_path: Path) -> ShowHarness:
    return ShowHarness(tmp_path)


def held(harness: ShowHarness) -> Path:
    """A show whose first play waits for a file."""
    go = harness.root / "go"
    harness.write_plan(
        {
            "first": f"@say I am at it\n@run sh -c 'while [ ! -e {go} ]; do sleep 0.05; done'",
            "second": {"prompt": "@usage 100 20 4000\n@say done", "depends_on": ["first"]},
        },
        goal="two plays",
    )
    return go


def test_a_terminal_shows_the_plays_and_what_they_do(harness: ShowHarness) -> None:
    go = held(harness)

    def act(_: subprocess.Popen[bytes]) -> None:
        harness.wait_until(lambda: harness.runs()["first"])
        time.sleep(1.2)
        go.touch()

    said = on_terminal("show", "run", TOPIC, env={**harness.env, "NO_COLOR": "1"}, act=act)

    assert said.code == 0
    assert "▸ first" in said.out
    assert "run sh -c" in said.out or "I am at it" in said.out
    assert "  · second" in said.out
    assert "after first" in said.out
    assert "2/2 merged" in said.out
    assert "120 tokens" in said.out
    assert "$0.0040" in said.out
    assert f"the show {TOPIC} is completed" in said.out
    assert said.out.rstrip().endswith(f"merge show/{TOPIC}/integration takes it")


def test_ctrl_c_leaves_and_the_show_goes_on(harness: ShowHarness) -> None:
    go = held(harness)

    def act(process: subprocess.Popen[bytes]) -> None:
        harness.wait_until(lambda: harness.runs()["first"])
        os.kill(process.pid, signal.SIGINT)

    said = on_terminal("show", "run", TOPIC, env=harness.env, act=act)

    assert said.code == 130
    assert f"li show run {TOPIC} comes back to it, li show abort {TOPIC} ends it" in said.out
    assert has_director(str(harness.show_dir))
    go.touch()
    harness.wait_until_director_exits()
    assert harness.rows() == ("completed", {"first": "merged", "second": "merged"})
    assert harness.runs() == {"first": 1, "second": 1}


def test_a_pipe_gets_a_line_for_each_change(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"})
    done = harness.li("show", "run", TOPIC)

    lines = done.out.splitlines()
    assert lines[-1] == "a merged"
    assert all(line.startswith("a ") for line in lines)
    assert "\x1b" not in done.out


def test_a_director_that_died_is_said(harness: ShowHarness) -> None:
    held(harness)
    harness.li("show", "run", TOPIC, "--detach")
    harness.wait_until(lambda: harness.runs()["first"])
    os.kill(harness.director, signal.SIGKILL)
    harness.wait_until_director_exits()
    with reading(str(harness.home / "state.db")) as conn:
        assert take_snapshot(conn, TOPIC, time.time()).doing["first"]
    # the agent lives on, and whoever resumes adopts it
    (harness.root / "go").touch()
    done = harness.li("show", "resume", TOPIC, "--json")

    assert done.code == 0, (done, harness.log())
    assert json.loads(done.out.splitlines()[-1])["status"] == "completed"
    assert harness.runs() == {"first": 1, "second": 1}
    harness.assert_consistent()


def test_no_wait_leaves_a_show_whose_budget_is_used_up(harness: ShowHarness) -> None:
    harness.write_plan(
        {"a": "@usage 90 20\n@say spent", "b": {"prompt": "@say b", "depends_on": ["a"]}}, budget={"tokens": 100}
    )
    done = harness.li("show", "run", TOPIC, "--no-wait")

    assert done.code == 1, (done, harness.log())
    assert f"{TOPIC} waits for a person: token budget exhausted" in done.err
    assert harness.li("show", "approve", TOPIC, "--tokens", "100").code == 0
    harness.wait_until_director_exits()
    assert harness.rows() == ("completed", {"a": "merged", "b": "merged"})


def test_no_wait_leaves_a_show_that_waits_for_the_last_word(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"}, final_gates=[{"person": "look at it"}])
    done = harness.li("show", "run", TOPIC, "--no-wait")

    assert done.code == 1, (done, harness.log())
    assert f"{TOPIC} waits for a person: the final gates passed" in done.err
    assert harness.li("show", "approve", TOPIC).code == 0
    harness.wait_until_director_exits()
    assert harness.rows() == ("completed", {"a": "merged"})


def seen_at(harness: ShowHarness, moment: float) -> str:
    with reading(str(harness.home / "state.db")) as conn:
        return "\n".join(head(take_snapshot(conn, TOPIC, moment), 200, lambda text, _: text))


def test_the_time_of_a_show_that_has_ended_stands_still(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a", "b": "@write b.txt b"})
    assert harness.direct() == "completed"
    now = time.time()

    assert seen_at(harness, now) == seen_at(harness, now + 7200)
    status = on_terminal("show", "status", TOPIC, env={**harness.env, "NO_COLOR": "1"}).out
    assert re.search(r"completed  2/2 merged  in \d", status)


def test_no_time_is_said_to_be_left_while_only_a_person_can_go_on(harness: ShowHarness) -> None:
    harness.write_plan(
        {
            "a": "@write a.txt a",
            "b": {"prompt": "@fail no", "depends_on": ["a"], "max_attempts": 1},
            "c": {"prompt": "@say c", "depends_on": ["b"]},
        }
    )
    harness.direct()
    assert harness.statuses() == {"a": "merged", "b": "escalated", "c": "blocked"}

    seen = seen_at(harness, time.time())
    assert "waits for a person" in seen
    assert " left" not in seen


@pytest.mark.parametrize("topic", ["../x", "-rf", "A B", ""])
def test_a_topic_that_leads_elsewhere_is_refused(harness: ShowHarness, topic: str) -> None:
    done = harness.li("show", "resume", "--", topic)

    assert done.code == 2
    assert "Traceback" not in done.err


def test_a_show_that_is_not_there(harness: ShowHarness) -> None:
    done = harness.li("show", "run", "nothing")

    assert (done.code, done.out) == (3, "")
    assert "li show plan nothing" in done.err
