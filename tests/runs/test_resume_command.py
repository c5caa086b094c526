"""The command that continues a run works as printed, or there is a reason."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from lionstudio.cli.main import main
from lionstudio.runs.resume_command import location_options, resume_command, vendor_command
from lionstudio.settings import load_settings

SESSION: dict[str, Any] = {
    "id": "01a1",
    "status": "completed",
    "invocation_kind": "agent",
    "source_kind": "live",
    "agent_name": "claude",
    "provider": "claude",
    "model": "claude-opus-4-8[1m]",
    "conversation_id": "c1",
    "cwd": "/repo",
}


def command(**fields: Any) -> str | None:
    return resume_command({**SESSION, **fields}, exists=lambda path: True).command


def reason(**fields: Any) -> str:
    result = resume_command({**SESSION, **fields}, exists=lambda path: "elsewhere" not in path)
    assert result.command is None
    assert result.reason
    return result.reason


def test_resume_command_names_provider_session_and_folder() -> None:
    assert command() == "li agent claude --resume 01a1 --cwd /repo"
    assert command(agent_name="reviewer") == "li agent reviewer --resume 01a1 --cwd /repo"
    assert command(provider="openai", agent_name="openai", model="gpt-5", conversation_id=None, cwd=None) == (
        "li agent openai/gpt-5 --resume 01a1"
    )
    assert resume_command(SESSION, folder="/repo", exists=lambda path: True).command == (
        "li agent claude --resume 01a1"
    )


def test_resume_command_of_a_play_names_the_location() -> None:
    play = {**SESSION, "invocation_kind": "show-play", "show_topic": "t", "show_play_name": "p"}
    result = resume_command(play, options="--home /h", exists=lambda path: True)
    assert result.reason == "It is a play of a show; repeat it with `li show redo t p --home /h`"


def test_resume_command_of_record_uses_the_provider_not_its_name() -> None:
    assert command(agent_name="boom", conversation_id=None) == "li agent claude --resume 01a1 --cwd /repo"
    assert "another program" in reason(agent_name="boom", provider=None)
    assert "another program" in reason(agent_name="boom", provider="anthropic")


def test_resume_command_of_acp_names_the_program_or_its_definition() -> None:
    acp = {"provider": "acp", "agent_name": "OpenCode", "cwd": None}
    metadata = {"program": "OpenCode", "command": ["opencode", "acp", "a b"]}
    result = resume_command({**SESSION, **acp, "metadata": metadata}, options="--home /h")

    assert result.command == "li agent acp --resume 01a1 --home /h -- opencode acp 'a b'"
    assert result.target is None  # Studio does not start programs of a command line
    assert result.reason
    assert command(**{**acp, "agent_name": "mine"}, metadata=metadata) == "li agent mine --resume 01a1"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"status": "running"}, "not ended"),
        ({"invocation_kind": "flow"}, "several agents"),
        ({"invocation_kind": "fanout"}, "several agents"),
        ({"invocation_kind": "play"}, "several agents"),
        ({"invocation_kind": "show-play", "show_topic": "t", "show_play_name": "p"}, "`li show redo t p`"),
        ({"source_kind": "imported_db"}, "another machine"),
        ({"source_kind": "imported_fs"}, "another machine"),
        ({"cwd": "/elsewhere"}, "/elsewhere"),
        ({"source_kind": "imported_claude", "metadata": {"mirror": {"path": "/elsewhere/a.jsonl"}}}, "transcript"),
        ({"provider": "command", "agent_name": "command"}, "--resume"),
    ],
)
def test_resume_command_gives_a_reason_where_none_works(fields: dict[str, Any], text: str) -> None:
    assert text in reason(**fields)


def test_location_options_only_where_they_are_needed(tmp_path: Path) -> None:
    home = str(tmp_path / "a home")
    flag, variable = load_settings({"home": home}, {}), load_settings({}, {"LIONAGI_HOME": home})
    assert location_options(flag) == f"--home {shlex.quote(home)}"
    assert location_options(variable) == ""
    assert location_options(variable, other_terminal=True) == f"--home {shlex.quote(home)}"
    assert location_options(load_settings({"db": "/x/y.db"}, {})) == "--db /x/y.db"
    assert location_options(load_settings({}, {}), other_terminal=True) == ""


def test_resume_command_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, repo = tmp_path / "home", tmp_path / "a repo"
    repo.mkdir()
    assert main(["agent", "script", "@say one", "--home", str(home), "--cwd", str(repo)]) == 0
    from lionstudio.state.database import Database

    with Database(str(home / "state.db")) as database:
        row = database.conn.dicts("SELECT * FROM sessions")[0]
    options = location_options(load_settings({"home": str(home)}, {}))
    printed = resume_command(row, options=options).command
    assert printed is not None
    argv = [*shlex.split(printed), "@say two"]
    monkeypatch.chdir(tmp_path)
    assert main(argv[1:]) == 0
    with Database(str(home / "state.db")) as database:
        assert database.conn.value("SELECT count(*) FROM sessions") == 2


def vendor(**fields: Any) -> str | None:
    return vendor_command({**SESSION, **fields}, exists=lambda path: "elsewhere" not in path)


def test_vendor_command_opens_the_conversation_in_its_folder() -> None:
    assert vendor() == "cd /repo && claude --resume c1"
    assert vendor(provider="codex", cwd=None) == "codex resume c1"
    assert vendor(cwd="/my repo", conversation_id="$(id)") == "cd '/my repo' && claude --resume '$(id)'"


def test_vendor_command_is_missing_where_the_program_cannot_resume() -> None:
    assert vendor(status="running") is None
    assert vendor(conversation_id=None) is None
    assert vendor(conversation_id="--dangerously-skip-permissions") is None
    assert vendor(provider="openai") is None
    assert vendor(cwd="/elsewhere") is None
    assert vendor(invocation_kind="flow") is None
