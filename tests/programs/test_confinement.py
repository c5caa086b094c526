"""The real programs do a play each inside the sandbox: they work, and see nothing of the user but their login."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.support.agent_programs import Agent
from tests.support.children import environment
from tests.support.commands import LI
from tests.support.sandboxes import needs_bwrap
from tests.support.show_harness import TOPIC, ShowHarness

from lionstudio.state.database import reading
from lionstudio.state.sessions import get_session

KINDS = ("claude", "codex")
# Each name that it prints is one that a confined agent must not see.
LOOK = (
    "ls -d ~/.ssh {home}/state.db {shows}/demo {repo}/README ~/.claude/history.jsonl ~/.codex/history.jsonl 2>/dev/null"
)


def without_wrappers(env: dict[str, str]) -> str:
    """The PATH of an agent without the programs that enter the network: here the director is in it already."""
    return os.pathsep.join(env["PATH"].split(os.pathsep)[1:])


@needs_bwrap
@pytest.mark.timeout(300)
def test_claude_and_codex_work_confined(claude: Agent, codex: Agent, tmp_path: Path) -> None:
    user = tmp_path / "home"
    (user / ".ssh").mkdir()
    for folder in (user / ".claude", user / ".codex"):
        folder.mkdir(exist_ok=True)
        (folder / "history.jsonl").write_text("everything the user ever asked\n")
    (user / ".claude" / "settings.json").write_text("{}\n")
    config = user / ".codex" / "config.toml"
    config.write_text(config.read_text().replace("FAKE_KEY", "OPENAI_FAKE_KEY"))
    before = {path: path.read_text() for path in (config, user / ".claude" / "settings.json")}
    harness = ShowHarness(tmp_path / "harness")
    (harness.home / "agents").mkdir(parents=True)
    for kind in KINDS:
        text = f"---\nprovider: {kind}\npermissions: all\nsandbox: require\n---\nYou work in a show.\n"
        (harness.home / "agents" / f"my-{kind}.md").write_text(text)
    look = LOOK.format(home=harness.home, shows=harness.shows, repo=harness.repo)
    steer = "echo evil >> ~/.claude/settings.json; echo evil >> ~/.codex/config.toml"
    plays = {
        kind: {
            "agent": f"my-{kind}",
            "prompt": f"@run {look} > {kind}.seen; ({steer}) 2>/dev/null; echo 'test -e {kind}.seen' > {kind}.test\n"
            f"@run sh {kind}.test && git add -A && git commit -qm {kind} && git log --oneline | wc -l > {kind}.log\n"
            "@say Finished.",
        }
        for kind in KINDS
    }
    harness.write_plan(plays, sandbox="require", gates=[{"command": ["sh", "-c", "for t in *.test; do sh $t; done"]}])
    env = {**claude.task.env, **codex.task.env, **harness.env, "OPENAI_FAKE_KEY": "test-key"}
    env |= {"PATH": without_wrappers(env), "LIONAGI_SANDBOX": "auto"}
    enter = ["nsenter", f"--target={claude.network.pid}", "--net", "--"]
    done = subprocess.run(
        [*enter, LI, "show", "run", TOPIC, "--no-wait"], env=environment(**env), capture_output=True, timeout=200
    )

    assert done.returncode == 0, (done, harness.log(), harness.statuses())
    assert harness.rows() == ("completed", dict.fromkeys(KINDS, "merged"))
    files = harness.files()
    assert {kind: files[f"{kind}.seen"] for kind in KINDS} == dict.fromkeys(KINDS, "")
    assert {kind: files[f"{kind}.log"].strip() for kind in KINDS} == dict.fromkeys(KINDS, "2")
    assert {path: path.read_text() for path in before} == before
    for kind in KINDS:
        assert harness.meta(kind)["confinement"] == "confined by bwrap"
        with reading(str(harness.home / "state.db")) as conn:
            assert get_session(conn, harness.meta(kind)["session_id"]).conversation_id is not None
    # what only the transcripts have was added afterwards, so they are where the user's own are
    assert len(list(user.glob(".claude/projects/*/*.jsonl"))) == 1
    assert len(list(user.glob(".codex/sessions/*/*/*/rollout-*.jsonl"))) == 1
    harness.assert_consistent()
