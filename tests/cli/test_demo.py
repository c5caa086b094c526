"""`li demo`: real git, gates and merges with scripted agents; it ends as documented and leaves no process behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.builders import git
from tests.support.children import environment
from tests.support.commands import LI, li, run_li

from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.shows.demo import ENDS_AS, TOPIC, demo_text, make_repository
from lionstudio.shows.process.lock import has_director

_PATIENCE = 110.0
pytestmark = pytest.mark.slow


def test_demo_plan_is_valid(tmp_path: Path) -> None:
    make_repository(str(tmp_path / "repo"))

    plan = load_plan(TOPIC, demo_text(str(tmp_path / "repo")))

    assert (set(plan.names), len(plan.plays)) == (set(ENDS_AS), 8)
    assert git(tmp_path / "repo", "log", "--format=%s") == "The first page"


@pytest.mark.timeout(150)
def test_demo_unattended_ends_as_documented(tmp_path: Path) -> None:
    home = tmp_path / "demo"
    done = subprocess.run(
        [LI, "demo", "--no-studio", "--home", str(home), "--json"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
    )
    assert done.returncode == 0, done.stderr

    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["type"], last["status"], last["plays"]) == (
        "ended",
        "completed",
        {k: str(v) for k, v in ENDS_AS.items()},
    )
    env = {"LIONAGI_HOME": str(home), "LIONAGI_SHOWS": str(home / "shows")}
    plays = {each["name"]: each for each in li("show", "status", TOPIC, "--json", env=env).json["show"]["plays"]}
    assert {name: plays[name]["attempt"] for name in ("keeper", "storm", "machine")} == {
        "keeper": 1,
        "storm": 2,
        "machine": 2,
    }
    assert sorted(plays[name]["attempt"] for name in ("harbour", "island")) == [1, 2]
    assert plays["afterword"]["blocked_by"] == ["machine"]
    repo = home / "repository"
    tree = git(repo, "ls-tree", "-r", "--name-only", f"show/{TOPIC}/integration").splitlines()
    assert {"chapters/keeper.md", "chapters/storm.md", "contents.txt"} < set(tree)
    assert "chapters/machine.md" not in tree
    assert git(repo, "show", f"show/{TOPIC}/integration:setting.txt") == "The place is the harbour of the island."
    assert git(repo, "status", "--porcelain") == ""
    sessions = li("state", "ls", "--json", env=env).json["sessions"]
    assert {each["name"] for each in sessions} == {f"show_{TOPIC}_{name}" for name in ENDS_AS if name != "afterword"}
    assert {each["status"] for each in sessions} == {"completed"}
    again = run_li("demo", "--no-studio", "--home", str(home))
    assert again.code == 1
    assert "is not empty" in again.err
    assert f"Open it again: li studio --no-follow --home {home}" in done.stderr


@pytest.fixture
def attended(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [LI, "demo", "--no-open", "--home", str(tmp_path / "demo")]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as demo:
        yield demo
        demo.kill()


@pytest.mark.timeout(150)
def test_demo_with_studio_runs_until_interrupted(attended: subprocess.Popen[str], tmp_path: Path) -> None:
    assert attended.stdout is not None
    address = attended.stdout.readline().strip()
    assert address.startswith("address\thttp://127.0.0.1:")
    show_dir = str(tmp_path / "demo" / "shows" / TOPIC)
    wait_until(lambda: has_director(show_dir))
    os.kill(attended.pid, signal.SIGINT)

    assert attended.wait(_PATIENCE) == 0
    assert not has_director(show_dir)
    env = {"LIONAGI_HOME": str(tmp_path / "demo"), "LIONAGI_SHOWS": str(tmp_path / "demo" / "shows")}
    assert li("ps", "--json", env=env).json["sessions"] == []


@pytest.mark.timeout(150)
def test_demo_follows_decisions_of_another_terminal(tmp_path: Path) -> None:
    home = str(tmp_path / "demo")
    command = [LI, "demo", "--no-open", "--home", home]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as demo:
        try:
            assert demo.stdout is not None
            asked = next(line for line in demo.stdout if "needs you: machine" in line)
            assert asked.rstrip().endswith(f"li show redo {TOPIC} machine --home {home}")
            assert li("show", "approve", TOPIC, "--home", home).code == 0
            ended = next(line for line in demo.stdout if line.startswith("Show ended"))
            assert ended == "Show ended: completed, 6 of 8 plays merged.\n"
            assert next(demo.stdout) == "Studio keeps running. Press Ctrl-C to stop.\n"
            os.kill(demo.pid, signal.SIGINT)
            assert demo.wait(_PATIENCE) == 0
            assert f"li studio --no-follow --home {home}" in demo.stdout.read()
        finally:
            demo.kill()


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)
