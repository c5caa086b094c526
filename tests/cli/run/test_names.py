"""What a run is called, on every surface of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.builders import begin
from tests.support.commands import CommandResult, run_li

from lionstudio.state.database import Database, reading
from lionstudio.state.sessions import get_session

PROMPT = "@say a  lighthouse\n@say and more"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def script(prompt: str, *options: str) -> str:
    """Run the scripted agent and return its session id."""
    done = run_li("agent", "script", prompt, "--json", *options)
    assert done.code == 0, done.err
    return str(json.loads(done.out.splitlines()[-1])["session_id"])


def test_run_is_called_by_its_prompt_and_keeps_the_name_for_people(home: Path) -> None:
    by_title, by_name = script(PROMPT), script(PROMPT, "--name", "nightly")

    with reading(str(home / "state.db")) as conn:
        sessions = [get_session(conn, session_id) for session_id in (by_title, by_name)]
    assert [(session.name, session.title, session.agent_name) for session in sessions] == [
        (None, "@say a lighthouse", "script"),
        ("nightly", "@say a lighthouse", "script"),
    ]
    listed = run_li("state", "ls", "--json").json["sessions"]
    assert [session["display_name"] for session in listed] == ["nightly", "@say a lighthouse"]
    assert run_li("state", "show", "nightly").out.startswith("nightly  ")
    assert run_li("state", "show", by_title).out.startswith("@say a lighthouse  ")
    names = {line.split("\t")[3] for line in run_li("state", "search", "lighthouse").out.splitlines()}
    assert names == {"nightly", "@say a lighthouse"}


@pytest.mark.parametrize("command", [("state", "show"), ("state", "export"), ("logs",), ("wait",), ("kill",)])
def test_commands_list_the_runs_that_share_a_name(db: Database, command: tuple[str, ...]) -> None:
    for number in ("1", "2"):
        begin(db, f"run-{number}", name="twice\x1b[31m", title="a title")

    refused = run_li(*command, "a title", "--db", db.path)

    assert (refused.code, refused.out) == (2, "")
    lines = refused.err.splitlines()
    assert lines[0] == "li: 'a title' matches 2 runs; the newest are"
    assert [line.split()[:2] for line in lines[2:4]] == [["run-2", "running"], ["run-1", "running"]]
    assert lines[2].endswith("twice\\x1b[31m")
    refused = run_li(*command, "a title", "--db", db.path, "--json")
    assert [row["id"] for row in json.loads(refused.err)["error"]["candidates"]] == ["run-2", "run-1"]


def test_resume_refuses_a_name_of_several_runs(home: Path) -> None:
    script(PROMPT)
    newest = script(PROMPT)

    refused = resumed("script")

    assert refused.code == 2
    assert newest in refused.err
    assert resumed("last").code == 0


def resumed(reference: str) -> CommandResult:
    return run_li("agent", "script", "@say on", "--resume", reference)
