"""A show of six plays with the real programs: merges, statuses and messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.agent_programs import Agent
from tests.support.show_harness import TOPIC, ShowHarness
from tests.support.studio import application

from lionstudio.state.branches import branch_entries, list_branches
from lionstudio.state.database import reading
from lionstudio.state.shows import get_show, list_plays

PLAYS = {"parser": "claude", "lexer": "codex", "printer": "claude", "docs": "codex", "tests": "claude", "cli": "codex"}
NEEDS = {"printer": ["parser"], "docs": ["lexer"], "tests": ["parser", "lexer"], "cli": ["printer", "docs", "tests"]}


@pytest.mark.timeout(300)
def test_show_with_six_plays_of_claude_and_codex(claude: Agent, codex: Agent, tmp_path: Path) -> None:
    config = tmp_path / "home" / ".codex" / "config.toml"
    # only variables of the vendors reach an agent of a show
    config.write_text(config.read_text().replace("FAKE_KEY", "OPENAI_FAKE_KEY"))
    env = {**claude.task.env, **codex.task.env, "OPENAI_FAKE_KEY": "test-key"}
    harness = ShowHarness(tmp_path / "harness")
    agents = harness.home / "agents"
    agents.mkdir(parents=True)
    for name in ("claude", "codex"):
        (agents / f"my-{name}.md").write_text(f"---\nprovider: {name}\npermissions: all\n---\nYou work in a show.\n")
    harness.write_plan(
        {
            name: {"agent": f"my-{kind}", "depends_on": NEEDS.get(name, []), "prompt": script(name)}
            for name, kind in PLAYS.items()
        },
        concurrency=3,
        provider_limits={"claude": 2, "codex": 1},
        gates=[{"command": ["test", "-e", "README"]}],
    )
    done = harness.li("show", "run", TOPIC, "--no-wait", "--json", **env)

    assert done.code == 0, (done, harness.log(), harness.statuses())
    assert harness.rows() == ("completed", dict.fromkeys(sorted(PLAYS), "merged"))
    assert harness.runs() == harness.merged() == dict.fromkeys(PLAYS, 1)
    assert {f"{name}.txt": name for name in PLAYS}.items() <= harness.files().items()
    harness.assert_consistent()
    assert from_show_to_messages(harness) == dict.fromkeys(PLAYS, f"{TOPIC} is done.")
    assert over_the_api(harness) == dict.fromkeys(PLAYS, f"{TOPIC} is done.")


def script(name: str) -> str:
    """The script for the model server; the first line, which notes the run, is put before it."""
    return f"@run echo {name} > {name}.txt\n@say {TOPIC} is done."


def from_show_to_messages(harness: ShowHarness) -> dict[str, str]:
    """The last answer of every play, by the links between the rows."""
    answers = {}
    with reading(str(harness.home / "state.db")) as conn:
        for play in list_plays(conn, get_show(conn, TOPIC).id):
            assert play.session_id is not None
            named = conn.value("SELECT name FROM sessions WHERE id = :id", {"id": play.session_id})
            assert named == f"show_{TOPIC}_{play.name}"
            (branch, *_) = list_branches(conn, play.session_id)
            contents = [entry.message.content for entry in branch_entries(conn, branch.id) if entry.message is not None]
            answers[play.name] = [said["assistant_response"] for said in contents if "assistant_response" in said][-1]
    return answers


def over_the_api(harness: ShowHarness) -> dict[str, str]:
    """The last answer of every play, by the API of the Studio."""
    answers = {}
    with application(harness.root) as studio:
        show = studio.get(f"/api/shows/{TOPIC}")
        for play in show["plays"]:
            messages = studio.get(f"/api/sessions/{play['session_id']}/messages")["messages"]
            contents = [message["content"] for message in messages]
            answers[play["name"]] = [said["assistant_response"] for said in contents if "assistant_response" in said][
                -1
            ]
    return answers
