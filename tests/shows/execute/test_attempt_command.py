"""The command of an attempt: permissions and environment variables by the plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.show_harness import TOPIC, ShowHarness

from lionstudio.cli.show.plan import environment_problems
from lionstudio.files.shows.plan_reader import read_plan
from lionstudio.shows.execute.attempt_command import attempt_argv, attempt_environment, gate_environment


@pytest.fixture
def harness(tmp_path: Path) -> ShowHarness:
    return ShowHarness(tmp_path)


def options(harness: ShowHarness, name: str, play: dict[str, Any], **head: Any) -> list[str]:
    """Return the values of an option in the argv of a play."""
    harness.write_plan({"a": {"prompt": "@say a", **play}}, **head)
    plan = read_plan(str(harness.show_dir / "_show.md"))
    meta = {"session_id": "s", "worktree": "/w"}
    argv = attempt_argv(plan, plan.play("a"), meta, harness.settings)
    return [argv[at + 1] for at, word in enumerate(argv) if word == name]


def define(harness: ShowHarness, folder: str, name: str, text: str) -> None:
    (harness.home / folder).mkdir(parents=True, exist_ok=True)
    (harness.home / folder / name).write_text(text)


def test_permissions_default_to_edit(harness: ShowHarness) -> None:
    assert options(harness, "--permissions", {}) == ["edit"]


def test_permissions_of_the_plan_come_before_those_of_the_agent(harness: ShowHarness) -> None:
    define(harness, "agents", "own.md", "---\nmodel: script\npermissions: all\n---\nWork.\n")
    assert options(harness, "--permissions", {"agent": "own"}) == []
    assert options(harness, "--permissions", {"agent": "own"}, permissions="ask") == ["ask"]
    assert options(harness, "--permissions", {"permissions": "all"}, permissions="ask") == ["all"]


def test_permissions_reach_playbooks(harness: ShowHarness) -> None:
    define(harness, "playbooks", "build.yaml", "name: build\nmodel: script\nprompt: '{input}'\n")
    define(harness, "playbooks", "free.yaml", "name: free\nmodel: script\nyolo: true\nprompt: '{input}'\n")
    assert options(harness, "--permissions", {"playbook": "build"}) == ["edit"]
    assert options(harness, "--permissions", {"playbook": "build"}, permissions="all") == ["all"]
    assert options(harness, "--permissions", {"playbook": "free"}) == []


def test_pass_env_of_show_and_play(harness: ShowHarness) -> None:
    play = {"pass_env": ["OTHER", "MY_KEY"]}
    assert options(harness, "--pass-env", play, pass_env=["MY_KEY"]) == ["MY_KEY", "OTHER"]


def test_pass_env_reaches_the_agent_but_not_the_gates(harness: ShowHarness) -> None:
    log = harness.root / "log"
    run = f"@run sh -c 'echo agent=$MY_VALUE >> {log}'"
    gate = {"command": ["sh", "-c", f"echo gate=$MY_VALUE >> {log}"]}
    harness.write_plan({"a": run}, gates=[gate], pass_env=["MY_VALUE"])
    done = harness.li("show", "run", TOPIC, MY_VALUE="from me")
    assert (done.code, log.read_text()) == (0, "agent=from me\ngate=\n")


def test_plan_warns_about_variables_that_are_not_set(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@say a"}, pass_env=["NOT_SET_ANYWHERE"])
    done = harness.li("show", "plan", TOPIC)
    assert (done.code, "pass_env names NOT_SET_ANYWHERE, which is not set here" in done.err) == (0, True)


def test_plan_for_workers_takes_variables_from_their_machines(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@say a"}, pass_env=["NOT_SET_ANYWHERE"], remote="origin")
    plan = read_plan(str(harness.show_dir / "_show.md"))
    on_a_hub = harness.settings._replace(db="postgresql://lion@db.example.org/lion")

    assert any("NOT_SET_ANYWHERE" in problem.message for problem in environment_problems(plan, harness.settings))
    assert not any("NOT_SET_ANYWHERE" in problem.message for problem in environment_problems(plan, on_a_hub))


@pytest.mark.parametrize("wrong", [{"permissions": "root"}, {"pass_env": ["A=B"]}, {"pass_env": "A"}])
def test_plan_refuses_invalid_permissions_and_variables(harness: ShowHarness, wrong: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=r"permissions must be one of: ask, edit, all|pass_env must be a list of names"):
        harness.write_plan({"a": "@say a"}, **wrong)


def test_variables_of_the_hub_reach_the_recorder_but_not_the_gates() -> None:
    of_hub = {"PGPASSWORD": "p", "PGPASSFILE": "/f", "PGSSLMODE": "verify-full"}
    environ = {**of_hub, "LIONAGI_DB": "postgresql://lion@db.example.org/lion", "OTHER": "o", "PATH": "/bin"}

    assert attempt_environment(environ) == {name: value for name, value in environ.items() if name != "OTHER"}
    assert of_hub.keys().isdisjoint(gate_environment(environ))
    assert of_hub.keys().isdisjoint(attempt_environment({**environ, "LIONAGI_DB": "/home/me/state.db"}))
