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
def theatre(tmp_path: Path) -> ShowHarness:
    return ShowHarness(tmp_path)


def held(theatre: ShowHarness) -> Path:
    """A show whose first play waits for a file."""
    go = theatre.root / "go"
    theatre.plan(
        {
            "first": f"@say I am at it\n@run sh -c 'while [ ! -e {go} ]; do sleep 0.05; done'",
            "second": {"prompt": "@usage 100 20 4000\n@say done", "depends_on": ["first"]},
        },
        goal="two plays",
    )
    return go


def test_a_terminal_shows_the_plays_and_what_they_do(theatre: ShowHarness) -> None:
    go = held(theatre)

    def act(_: subprocess.Popen[bytes]) -> None:
        theatre.until(lambda: theatre.runs()["first"])
        time.sleep(1.2)
        go.touch()

    said = on_terminal("show", "run", TOPIC, env={**theatre.env, "NO_COLOR": "1"}, act=act)

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


def test_ctrl_c_leaves_and_the_show_goes_on(theatre: ShowHarness) -> None:
    go = held(theatre)

    def act(process: subprocess.Popen[bytes]) -> None:
        theatre.until(lambda: theatre.runs()["first"])
        os.kill(process.pid, signal.SIGINT)

    said = on_terminal("show", "run", TOPIC, env=theatre.env, act=act)

    assert said.code == 130
    assert f"li show run {TOPIC} comes back to it, li show abort {TOPIC} ends it" in said.out
    assert has_director(str(theatre.show_dir))
    go.touch()
    theatre.until_left()
    assert theatre.rows() == ("completed", {"first": "merged", "second": "merged"})
    assert theatre.runs() == {"first": 1, "second": 1}


def test_a_pipe_gets_a_line_for_each_change(theatre: ShowHarness) -> None:
    theatre.plan({"a": "@write a.txt a"})
    done = theatre.li("show", "run", TOPIC)

    lines = done.out.splitlines()
    assert lines[-1] == "a merged"
    assert all(line.startswith("a ") for line in lines)
    assert "\x1b" not in done.out


def test_a_director_that_died_is_said(theatre: ShowHarness) -> None:
    held(theatre)
    theatre.li("show", "run", TOPIC, "--detach")
    theatre.until(lambda: theatre.runs()["first"])
    os.kill(theatre.director, signal.SIGKILL)
    theatre.until_left()
    with reading(str(theatre.home / "state.db")) as conn:
        assert take_snapshot(conn, TOPIC, time.time()).doing["first"]
    # the agent lives on, and whoever resumes adopts it
    (theatre.root / "go").touch()
    done = theatre.li("show", "resume", TOPIC, "--json")

    assert done.code == 0, (done, theatre.log())
    assert json.loads(done.out.splitlines()[-1])["status"] == "completed"
    assert theatre.runs() == {"first": 1, "second": 1}
    theatre.assert_whole()


def test_no_wait_leaves_a_show_whose_budget_is_used_up(theatre: ShowHarness) -> None:
    theatre.plan(
        {"a": "@usage 90 20\n@say spent", "b": {"prompt": "@say b", "depends_on": ["a"]}}, budget={"tokens": 100}
    )
    done = theatre.li("show", "run", TOPIC, "--no-wait")

    assert done.code == 1, (done, theatre.log())
    assert f"{TOPIC} waits for a person: token budget exhausted" in done.err
    assert theatre.li("show", "approve", TOPIC, "--tokens", "100").code == 0
    theatre.until_left()
    assert theatre.rows() == ("completed", {"a": "merged", "b": "merged"})


def test_no_wait_leaves_a_show_that_waits_for_the_last_word(theatre: ShowHarness) -> None:
    theatre.plan({"a": "@write a.txt a"}, final_gates=[{"person": "look at it"}])
    done = theatre.li("show", "run", TOPIC, "--no-wait")

    assert done.code == 1, (done, theatre.log())
    assert f"{TOPIC} waits for a person: the final gates passed" in done.err
    assert theatre.li("show", "approve", TOPIC).code == 0
    theatre.until_left()
    assert theatre.rows() == ("completed", {"a": "merged"})


def seen_at(theatre: ShowHarness, moment: float) -> str:
    with reading(str(theatre.home / "state.db")) as conn:
        return "\n".join(head(take_snapshot(conn, TOPIC, moment), 200, lambda text, _: text))


def test_the_time_of_a_show_that_has_ended_stands_still(theatre: ShowHarness) -> None:
    theatre.plan({"a": "@write a.txt a", "b": "@write b.txt b"})
    assert theatre.direct() == "completed"
    now = time.time()

    assert seen_at(theatre, now) == seen_at(theatre, now + 7200)
    status = on_terminal("show", "status", TOPIC, env={**theatre.env, "NO_COLOR": "1"}).out
    assert re.search(r"completed  2/2 merged  in \d", status)


def test_no_time_is_said_to_be_left_while_only_a_person_can_go_on(theatre: ShowHarness) -> None:
    theatre.plan(
        {
            "a": "@write a.txt a",
            "b": {"prompt": "@fail no", "depends_on": ["a"], "max_attempts": 1},
            "c": {"prompt": "@say c", "depends_on": ["b"]},
        }
    )
    theatre.direct()
    assert theatre.statuses() == {"a": "merged", "b": "escalated", "c": "blocked"}

    seen = seen_at(theatre, time.time())
    assert "waits for a person" in seen
    assert " left" not in seen


@pytest.mark.parametrize("topic", ["../x", "-rf", "A B", ""])
def test_a_topic_that_leads_elsewhere_is_refused(theatre: ShowHarness, topic: str) -> None:
    done = theatre.li("show", "resume", "--", topic)

    assert done.code == 2
    assert "Traceback" not in done.err


def test_a_show_that_is_not_there(theatre: ShowHarness) -> None:
    done = theatre.li("show", "run", "nothing")

    assert (done.code, done.out) == (3, "")
    assert "li show plan nothing" in done.err
