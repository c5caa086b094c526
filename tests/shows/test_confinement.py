"""Agents and gates that attack the surroundings of their checkout: confined they reach nothing."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.sandboxes import needs_bwrap, processes_with
from tests.support.show_harness import TOPIC, ShowHarness

from lionstudio.state.database import reading
from lionstudio.state.shows import list_shows

PLAY = "evil"
SECRET = "hunter2-of-production"
# Each line of the report is one attack that succeeded.
ATTACK = """\
exec 3>report
say() {{ echo "$1" >&3; }}
[ -s "$HOME/.ssh/id_ed25519" ] && say "read a key in the home"
echo 'evil' 2>/dev/null >> "$HOME/.bashrc" && grep -q mine "$HOME/.bashrc" && say "wrote to the home"
[ -e {home}/state.db ] && say "saw the database"
[ -e {home}/studio.token ] && say "saw the token"
echo evil 2>/dev/null >> {home}/agents/critic.md && say "rewrote the reviewer"
echo evil 2>/dev/null >> {show}/_show.md && say "edited the plan"
echo '{{}}' 2>/dev/null > {show}/evil/decision-of-mine && say "wrote a decision"
[ -s {repo}/untouched ] && echo evil 2>/dev/null > {repo}/untouched && say "wrote to the repository of the user"
git commit -q --allow-empty -m evil && git push -q {repo} HEAD:refs/heads/show/demo/other 2>/dev/null \
  && say "pushed a branch"
echo evil 2>/dev/null > {repo}/.git/objects/evil && say "wrote to the object store"
cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q {secret} && say "read the environment of our processes"
[ -e /etc/shadow ] && [ -r /etc/shadow ] && head -c1 /etc/shadow >/dev/null 2>&1 && say "read password hashes"
echo evil 2>/dev/null > {outside}/evil && say "wrote to another folder"
bash -c 'exec 9<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && say "connected to this machine"
git status --porcelain >/dev/null && git log -1 --format=%s >/dev/null || say "git does not work"
env -i sh -c '(exec -a {mark} sleep 600 >/dev/null 2>&1 &)' 2>/dev/null
env -i bash -c '(exec -a {mark} sleep 600 >/dev/null 2>&1 &)'
setsid bash -c 'exec -a {mark} sleep 600' >/dev/null 2>&1 &
bash -c '(trap "" TERM; (exec -a {mark} sleep 600 &) ; :) >/dev/null 2>&1'
sleep 0.2
:
"""


class Target:
    """A user with a home, a server on this machine, and a show whose agent or gate attacks them."""

    def __init__(self, harness: ShowHarness, port: int) -> None:
        self.harness, self.mark = harness, f"survivor-{os.getpid()}-{port}"
        self.user = harness.root / "user"
        (self.user / ".ssh").mkdir(parents=True)
        (self.user / ".ssh" / "id_ed25519").write_text("a private key\n")
        (self.user / ".bashrc").write_text("mine\n")
        (harness.root / "outside").mkdir()
        agents = harness.home / "agents"
        agents.mkdir(parents=True)
        (agents / "critic.md").write_text("---\nprovider: script\n---\n")
        (harness.home / "studio.token").write_text("token\n")
        self.attack = ATTACK.format(
            home=harness.home,
            show=harness.show_dir,
            repo=harness.repo,
            outside=harness.root / "outside",
            secret=SECRET,
            port=port,
            mark=self.mark,
        )

    def run(self, sandbox: str) -> None:
        """Run the show to its end, with a secret in the environment of the director."""
        done = self.harness.li(
            "show",
            "run",
            TOPIC,
            "--no-wait",
            "--json",
            HOME=str(self.user),
            PROD_DB_PASSWORD=SECRET,
            LIONAGI_SANDBOX=sandbox,
        )
        assert done.code == 0, (done, self.harness.log(), self.harness.statuses())

    def verdict(self) -> dict[str, Any]:
        verdict: dict[str, Any] = json.loads((self.harness.show_dir / PLAY / "_verdict.json").read_text())
        return verdict


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield Target(ShowHarness(tmp_path), server.getsockname()[1])


def lines(text: str) -> set[str]:
    return set(text.split("\n")) - {""}


EVERYTHING = {
    "read a key in the home",
    "wrote to the home",
    "saw the database",
    "saw the token",
    "rewrote the reviewer",
    "edited the plan",
    "wrote a decision",
    "wrote to the repository of the user",
    "pushed a branch",
    "wrote to the object store",
    "read the environment of our processes",
    "wrote to another folder",
    "connected to this machine",
}


def agent_plan(target: Target) -> None:
    (target.harness.repo / "attack.sh").write_text(target.attack)
    target.harness.git("add", "attack.sh")
    target.harness.git("commit", "-qm", "attack")
    target.harness.write_plan({PLAY: "@run sh attack.sh"})
    target.harness.before = target.harness.hash_user_files()


def gate_plan(target: Target) -> None:
    """The agent writes the test that the gate runs; the gate fails, so that its report is in its output."""
    agent_plan(target)
    gate = {"command": ["sh", "-c", "sh attack.sh; cat report; test -e /nonexistent/x -o -e passed"]}
    target.harness.write_plan({PLAY: "@write passed yes"}, gates=[gate])


@needs_bwrap
def test_confined_agent_reaches_nothing(target: Target) -> None:
    agent_plan(target)
    target.run("require")

    assert lines(target.harness.files()["report"]) == {"connected to this machine"}  # agents need the network
    assert processes_with(target.mark) == []
    assert target.harness.meta(PLAY)["confinement"] == "confined by bwrap"
    assert not (target.harness.root / "outside" / "evil").exists()
    target.harness.assert_consistent()


@needs_bwrap
def test_confined_gate_reaches_nothing(target: Target) -> None:
    gate_plan(target)
    target.run("require")

    (check,) = target.verdict()["checks"]
    assert lines(check["output"]) == set()
    assert (check["passed"], check["confinement"]) == (True, "confined by bwrap")
    assert processes_with(target.mark) == []
    target.harness.assert_consistent()


@needs_bwrap
def test_confined_setup_and_teardown_reach_nothing(target: Target) -> None:
    agent_plan(target)
    keep = f"sh attack.sh; cat report >> {target.harness.root}/outside/report; true"
    commands = [["sh", "-c", keep], ["sh", "-c", "test ! -s report"]]
    target.harness.write_plan({PLAY: "@say done"}, setup=commands, teardown=commands)
    target.run("require")

    assert target.harness.rows() == ("completed", {PLAY: "merged"})
    assert list((target.harness.root / "outside").iterdir()) == []
    assert processes_with(target.mark) == []


@needs_bwrap
def test_gate_reaches_the_network_only_if_the_plan_says_so(target: Target) -> None:
    gate_plan(target)
    plan = (target.harness.show_dir / "_show.md").read_text()
    (target.harness.show_dir / "_show.md").write_text(plan.replace('"agent"', '"network": true,\n "agent"', 1))
    target.run("require")

    assert lines(target.verdict()["checks"][0]["output"]) == {"connected to this machine"}


def test_unconfined_agent_reaches_everything_but_leaves_no_process(target: Target) -> None:
    agent_plan(target)
    target.run("off")

    assert lines(target.harness.files()["report"]) - {"read password hashes"} == EVERYTHING
    assert processes_with(target.mark) == []
    assert target.harness.meta(PLAY)["confinement"] == "not confined: the sandbox is off"


def test_unconfined_gate_reaches_everything_but_leaves_no_process(target: Target) -> None:
    gate_plan(target)
    target.run("off")

    (check,) = target.verdict()["checks"]
    assert lines(check["output"]) - {"read password hashes"} == EVERYTHING
    assert check["confinement"] == "not confined: the sandbox is off"
    assert processes_with(target.mark) == []


@needs_bwrap
def test_agents_and_gates_are_confined_by_default(target: Target) -> None:
    target.harness.write_plan({PLAY: "@write passed yes"}, gates=[{"command": ["test", "-e", "passed"]}])
    target.run("auto")

    assert target.harness.meta(PLAY)["confinement"] == "confined by bwrap"
    assert target.verdict()["checks"][0]["confinement"] == "confined by bwrap"


def test_plan_cannot_lift_a_setting_that_requires_the_sandbox(target: Target, tmp_path: Path) -> None:
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    (broken / "bwrap").chmod(0o755)
    target.harness.write_plan({PLAY: "@write ran yes"}, sandbox="off")
    path = f"{broken}{os.pathsep}{os.environ['PATH']}"
    done = target.harness.li("show", "run", TOPIC, "--no-wait", LIONAGI_SANDBOX="require", PATH=path)

    assert done.code == 1
    assert "sandbox: require, but bwrap does not work (No permissions to create new namespace)" in done.err
    assert target.harness.runs() == {}
    assert not (target.harness.home / "checkouts" / TOPIC / PLAY).exists()
    with reading(str(target.harness.home / "state.db")) as conn:
        assert list_shows(conn, 10) == []  # it is not listed as active


def test_auto_says_why_a_machine_cannot_confine(target: Target, tmp_path: Path) -> None:
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (broken / "bwrap").chmod(0o755)
    target.harness.write_plan({PLAY: "@write passed yes"}, gates=[{"command": ["test", "-e", "passed"]}])
    path = f"{broken}{os.pathsep}{os.environ['PATH']}"
    done = target.harness.li("show", "run", TOPIC, "--no-wait", LIONAGI_SANDBOX="auto", PATH=path)

    assert done.code == 0, done
    assert target.harness.meta(PLAY)["confinement"] == "not confined: bwrap does not work (code 1)"
    assert target.verdict()["checks"][0]["confinement"] == "not confined: bwrap does not work (code 1)"
