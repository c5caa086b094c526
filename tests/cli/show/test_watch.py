"""Watching a show on a terminal and in a pipe, and detaching from it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.support.commands import run_on_terminal
from tests.support.git_remotes import make_remote
from tests.support.repositories import git
from tests.support.show_harness import TOPIC, ShowHarness

from lionstudio.cli._show.render import heading
from lionstudio.cli._show.snapshot import MergedWork, take_snapshot
from lionstudio.cli._show.watch import merge_command
from lionstudio.errors import InvalidInput
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


def test_watch_on_a_terminal_shows_plays_and_activity(harness: ShowHarness) -> None:
    go = held(harness)

    def act(_: subprocess.Popen[bytes]) -> None:
        harness.wait_until(lambda: harness.runs()["first"])
        time.sleep(1.2)
        go.touch()

    result = run_on_terminal("show", "run", TOPIC, env={**harness.env, "NO_COLOR": "1"}, act=act)

    assert result.code == 0
    assert "▸ first" in result.out
    assert "run sh -c" in result.out or "I am at it" in result.out
    assert "  · second" in result.out
    assert "after first" in result.out
    assert "2/2 merged" in result.out
    assert "120 total tokens" in result.out
    assert "$0.0040" in result.out
    assert f"Show {TOPIC} ended: completed" in result.out
    assert result.out.rstrip().endswith(f"merge show/{TOPIC}/integration")


def test_watch_detaches_on_ctrl_c(harness: ShowHarness) -> None:
    go = held(harness)

    def act(process: subprocess.Popen[bytes]) -> None:
        harness.wait_until(lambda: harness.runs()["first"])
        os.kill(process.pid, signal.SIGINT)

    result = run_on_terminal("show", "run", TOPIC, env=harness.env, act=act)

    assert result.code == 130
    assert f"Reattach: li show run {TOPIC} · Stop: li show abort {TOPIC}" in result.out
    assert has_director(str(harness.show_dir))
    go.touch()
    harness.wait_until_director_exits()
    assert harness.rows() == ("completed", {"first": "merged", "second": "merged"})
    assert harness.runs() == {"first": 1, "second": 1}


def test_watch_in_a_pipe_prints_one_line_per_change(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"})
    done = harness.li("show", "run", TOPIC)

    lines = done.out.splitlines()
    assert lines[-1] == "a merged"
    assert all(line.startswith("a ") for line in lines)
    assert "\x1b" not in done.out


def test_watch_reports_a_dead_director(harness: ShowHarness) -> None:
    held(harness)
    harness.li("show", "run", TOPIC, "--detach")
    harness.wait_until(lambda: harness.runs()["first"])
    os.kill(harness.director, signal.SIGKILL)
    harness.wait_until_director_exits()
    with reading(str(harness.home / "state.db")) as conn:
        assert take_snapshot(conn, TOPIC, time.time()).activity["first"]
    # the agent lives on, and whoever resumes adopts it
    (harness.root / "go").touch()
    done = harness.li("show", "resume", TOPIC, "--json")

    assert done.code == 0, (done, harness.log())
    assert json.loads(done.out.splitlines()[-1])["status"] == "completed"
    assert harness.runs() == {"first": 1, "second": 1}
    harness.assert_consistent()


def test_watch_no_wait_exits_when_the_budget_is_exhausted(harness: ShowHarness) -> None:
    harness.write_plan(
        {"a": "@usage 90 20\n@say spent", "b": {"prompt": "@say b", "depends_on": ["a"]}}, budget={"tokens": 100}
    )
    done = harness.li("show", "run", TOPIC, "--no-wait")

    assert done.code == 1, (done, harness.log())
    assert f"{TOPIC} needs you: token budget exhausted" in done.err
    assert harness.li("show", "approve", TOPIC, "--tokens", "100").code == 0
    harness.wait_until_director_exits()
    assert harness.rows() == ("completed", {"a": "merged", "b": "merged"})


def test_watch_no_wait_exits_at_the_final_approval(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"}, final_gates=[{"person": "look at it"}])
    done = harness.li("show", "run", TOPIC, "--no-wait")

    assert done.code == 1, (done, harness.log())
    assert f"{TOPIC} needs you: the final gates passed" in done.err
    assert harness.li("show", "approve", TOPIC).code == 0
    harness.wait_until_director_exits()
    assert harness.rows() == ("completed", {"a": "merged"})


@pytest.mark.parametrize("directed", [True, False])
def test_resume_no_wait_reads_a_decision_first(harness: ShowHarness, directed: bool) -> None:
    harness.write_plan({"a": "@write a.txt a"}, gates=["person"])
    assert harness.li("show", "run", TOPIC, "--no-wait").code == 1
    if not directed:
        os.kill(harness.director, signal.SIGKILL)
        harness.wait_until_director_exits()
    assert harness.li("show", "approve", TOPIC, "a").code == 0
    done = harness.li("show", "resume", TOPIC, "--no-wait")

    assert (done.code, "needs you" in done.out + done.err) == (0, False), (done, harness.log())
    assert harness.rows() == ("completed", {"a": "merged"})


def test_resume_no_wait_returns_after_a_decision_that_changes_nothing(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"}, gates=["person"])
    assert harness.li("show", "run", TOPIC, "--no-wait").code == 1
    old = {"id": "old", "decision": "approve", "attempt": 7}
    (harness.show_dir / "a" / "_decision.json").write_text(json.dumps(old))
    done = harness.li("show", "resume", TOPIC, "--no-wait")

    assert (done.code, f"{TOPIC} needs you: a" in done.err) == (1, True)
    harness.li("show", "abort", TOPIC)
    harness.wait_until_director_exits()


def test_decisions_need_a_plan_in_the_folder(harness: ShowHarness, tmp_path: Path) -> None:
    """A decision in a folder that no director reads would be lost, with exit code 0."""
    harness.write_plan({"a": "@write a.txt a"}, gates=["person"])
    harness.direct()
    elsewhere = tmp_path / "elsewhere"
    for words in (("approve", TOPIC, "a"), ("redo", TOPIC, "a"), ("approve", TOPIC, "--tokens", "5"), ("abort", TOPIC)):
        done = harness.li("show", *words, LIONAGI_SHOWS=str(elsewhere))
        assert (done.code, f"LIONAGI_SHOWS={harness.shows}" in done.err) == (3, True), (words, done)
    assert not elsewhere.exists()


def test_home_option_leads_to_the_shows_of_that_home(harness: ShowHarness, tmp_path: Path) -> None:
    home = tmp_path / "other home"
    made = harness.li("show", "plan", TOPIC, "--repo", str(harness.repo), "--home", str(home))
    assert (home / "shows" / TOPIC / "_show.md").exists()
    assert f"li show run {TOPIC} --home '{home}'" in made.err
    assert not harness.show_dir.exists()


def seen_at(harness: ShowHarness, moment: float) -> str:
    with reading(str(harness.home / "state.db")) as conn:
        return "\n".join(heading(take_snapshot(conn, TOPIC, moment), 200, lambda text, _: text))


def test_heading_stops_the_clock_of_an_ended_show(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a", "b": "@write b.txt b"})
    assert harness.direct() == "completed"
    now = time.time()

    assert seen_at(harness, now) == seen_at(harness, now + 7200)
    status = run_on_terminal("show", "status", TOPIC, env={**harness.env, "NO_COLOR": "1"}).out
    assert re.search(r"completed  2/2 merged  in \d", status)


def test_heading_omits_remaining_time_while_waiting(harness: ShowHarness) -> None:
    harness.write_plan(
        {
            "a": "@write a.txt a",
            "b": {"prompt": "@fail no", "depends_on": ["a"], "max_attempts": 1},
            "c": {"prompt": "@say c", "depends_on": ["b"]},
        }
    )
    harness.direct()
    assert harness.statuses() == {"a": "merged", "b": "escalated", "c": "blocked"}

    output = seen_at(harness, time.time())
    assert "needs you" in output
    assert " left" not in output


@pytest.mark.parametrize("topic", ["../x", "-rf", "A B", ""])
def test_run_rejects_unsafe_topics(harness: ShowHarness, topic: str) -> None:
    done = harness.li("show", "resume", "--", topic)

    assert done.code == 2
    assert "Traceback" not in done.err


def test_run_of_a_missing_show_is_not_found(harness: ShowHarness) -> None:
    done = harness.li("show", "run", "nothing")

    assert (done.code, done.out) == (3, "")
    assert "li show plan nothing" in done.err


@pytest.mark.parametrize("has_repo", [True, False])
def test_merge_command_of_a_show_for_workers_works_as_printed(tmp_path: Path, has_repo: bool) -> None:
    """Its branch is on the remote only, whose path needs quotes here."""
    folder = tmp_path / "it's here"
    folder.mkdir()
    remote, clone = make_remote(folder), folder / "clone"
    git(folder, "clone", "-q", str(remote), "clone")
    branch = f"show/{TOPIC}/integration"
    work = git(remote, "commit-tree", "main^{tree}", "-p", "main", "-m", "work")
    git(remote, "update-ref", f"refs/heads/{branch}", work)

    command = merge_command(MergedWork(str(clone) if has_repo else "/on/another/machine", branch, str(remote)))
    subprocess.run(["sh", "-c", command], cwd=tmp_path if has_repo else clone, check=True, capture_output=True)

    assert git(clone, "rev-parse", "HEAD") == work


@pytest.mark.parametrize("remote", ["ext::sh -c id", "--upload-pack=id"])
def test_merge_command_never_names_an_address_that_runs_a_program(remote: str) -> None:
    with pytest.raises(InvalidInput, match="is not an address"):
        merge_command(MergedWork("/somewhere", f"show/{TOPIC}/integration", remote))
