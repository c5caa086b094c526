"""The environment of agents: documented, and explained when a withheld variable makes a run fail."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.agents import contents, li, session

from lionstudio.model.providers import ENV_PREFIXES
from lionstudio.runs import environment
from lionstudio.runs.environment import withheld_hint

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "agents.md"


def test_docs_list_every_variable_that_agents_get() -> None:
    text = DOCS.read_text(encoding="utf-8")
    names = [*environment._NAMES, *(f"{prefix}*" for prefix in (*environment._LOCAL, *ENV_PREFIXES))]

    assert [name for name in names if f"`{name}`" not in text] == []


def test_withheld_hint_names_the_missing_variable() -> None:
    ours = {"FAKE_KEY": "x", "PATH": "/bin", "OPENROUTER_API_KEY": "y"}

    assert withheld_hint("Missing environment variable: `FAKE_KEY`.", ours, ["PATH"]) == (
        "set here, but not passed to agents: FAKE_KEY; add --pass-env FAKE_KEY"
    )
    assert withheld_hint("401 Unauthorized", ours, ["PATH"]) == (
        "not passed to agents: OPENROUTER_API_KEY; add --pass-env NAME for the one it needs"
    )
    assert withheld_hint("401 Unauthorized", ours, ours) is None
    assert withheld_hint("PATH is too long; OTHER_KEY is missing", ours, ["PATH"]) is None
    assert withheld_hint("the disk is full", ours, ["PATH"]) is None


def test_pass_env_of_agent_file_reaches_the_agent(tmp_path: Path) -> None:
    agents = tmp_path / "agents"
    agents.mkdir()
    (agents / "stage.md").write_text("---\nprovider: script\npass_env: [DEPLOY_STAGE]\n---\nYou deploy.\n")
    prompt = "@run printenv DEPLOY_STAGE OTHER_STAGE"
    done = li(tmp_path, "agent", "stage", prompt, DEPLOY_STAGE="green", OTHER_STAGE="b")

    assert done.returncode == 0, done.stderr
    assert contents(tmp_path)["main"][-1]["error"].strip() == "green"  # printenv fails: the other one is withheld
    shown = li(tmp_path, "agents", "show", "stage", "--json")
    fields = json.loads(shown.stdout)["agent"]["fields"]
    assert (fields["pass_env"], fields["extra"]) == (["DEPLOY_STAGE"], {})


def test_pass_env_of_playbook_reaches_the_agent(tmp_path: Path) -> None:
    playbooks = tmp_path / "playbooks"
    playbooks.mkdir()
    text = 'agent: script\npass_env: [DEPLOY_STAGE]\nprompt: "@run printenv DEPLOY_STAGE"\n'
    (playbooks / "deploy.playbook.yaml").write_text(text)
    done = li(tmp_path, "play", "deploy", DEPLOY_STAGE="green")

    assert done.returncode == 0, done.stderr
    assert contents(tmp_path)["main"][-1]["output"].strip() == "green"


def test_show_env_lists_names_and_runs_nothing(tmp_path: Path) -> None:
    names = {"CUSTOM_API_KEY": "k" * 20, "DEPLOY_STAGE": "green"}
    done = li(tmp_path, "agent", "script", "--show-env", "--json", "--pass-env", "DEPLOY_STAGE", **names)  # type: ignore[arg-type]
    data = json.loads(done.stdout)

    assert data["variables"]["DEPLOY_STAGE"] == "--pass-env"
    assert data["variables"]["LIONAGI_SESSION_ID"] == "set by li"
    assert "CUSTOM_API_KEY" in data["withheld_keys"]
    assert "green" not in done.stdout
    assert not (tmp_path / "state.db").exists()


def test_failed_run_explains_withheld_variable(tmp_path: Path) -> None:
    done = li(tmp_path, "agent", "script", "@fail 1 Missing environment variable: CUSTOM_KEY", CUSTOM_KEY="x")

    assert "add --pass-env CUSTOM_KEY" in done.stderr
    assert "add --pass-env CUSTOM_KEY" in session(tmp_path)["metadata"]["ended_with"]


def test_pass_env_of_unset_variable_warns(tmp_path: Path) -> None:
    assert (
        "NO_SUCH_NAME: this variable is not set"
        in li(tmp_path, "agent", "script", "@say hi", "--pass-env", "NO_SUCH_NAME").stderr
    )
