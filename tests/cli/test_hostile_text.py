"""Text from agents, files and arguments never controls the terminal, whichever command prints it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.builders import begin, write
from tests.support.commands import run_li

from lionstudio.cli._completion.scripts import options_of
from lionstudio.cli._toolkit.escape import guarded
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import say, write_stderr
from lionstudio.cli.registry import COMMANDS
from lionstudio.model.messages import create_message
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session

HOSTILE = "x\x1b[2J\x1b]0;title\x07\x9b31m\x1b[8mhidden\r\u202eevil\x00\x7f"
DANGEROUS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
# they print only addresses, the show of the demo, and JSON
SERVERS = ("studio", "demo", "mcp")


@pytest.fixture
def hostile_home(db: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """A database with hostile text in all columns of a run and its messages, and a home that is empty otherwise."""
    for name in ("HOME", "LIONAGI_HOME", "LIONAGI_SHOWS"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("LIONAGI_DB", db.path)
    monkeypatch.chdir(tmp_path)
    fields = dict.fromkeys(("name", "title", "agent_name", "model", "project", "cwd", "show_topic"), HOSTILE)
    for session_id in ("abcd-1", "abcd-2", "ended"):
        session = begin(db, session_id, **fields)
        call = create_message({"function": HOSTILE, "arguments": {HOSTILE: HOSTILE}}, id=f"call-{session_id}")
        answer = {"error": HOSTILE, "action_request_id": f"call-{session_id}"}
        written = {"function": "Write", "arguments": {"file_path": HOSTILE, "content": HOSTILE}}
        edit = create_message(written, id=f"edit-{session_id}", metadata={"usage": {"input_tokens": 5}})
        edited = create_message({"output": HOSTILE, "action_request_id": edit.id})
        asked = create_message({"instruction": f"needle {HOSTILE}"})
        for message in (asked, edit, edited, call, create_message(answer)):
            write(db, append, session.branch_id, message)
    write(db, finish_session, "ended", "failed", detail=HOSTILE, reasons=["run.failed.exit_nonzero"])
    return db


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in SERVERS])
def test_command_with_hostile_arguments_prints_no_control_bytes(hostile_home: Database, command: str) -> None:
    arguments = [HOSTILE.replace("\0", "") for option in options_of(command) if not option.names]

    for more in ([], [f"--{HOSTILE}"]):
        done = run_li(*command.split(), *arguments, *more)

        assert not DANGEROUS.search(done.out + done.err), done


@pytest.mark.parametrize(
    "line",
    [
        "ps",
        "logs ended",
        "logs abcd",
        "wait ended",
        "state ls",
        "state ls --format ndjson",
        "state show ended",
        "state show ended --full",
        "state show ended --json",
        "state show last:1",
        "state changes ended",
        "state changes ended --stat",
        "usage --by model",
        "usage --by day,project",
        "usage --by project --csv",
        "usage --by run --json",
        "state search needle",
        "state search needle --json",
        "state export ended",
        "state export ended --format md",
        "state stats --sizes",
        "state doctor",
        "agent script @say --resume abcd",
    ],
)
def test_command_prints_hostile_rows_without_control_bytes(hostile_home: Database, line: str) -> None:
    done = run_li(*line.split())

    assert not DANGEROUS.search(done.out + done.err), done


def test_writers_escape_what_a_command_forgot(capsys: pytest.CaptureFixture[str]) -> None:
    emit(HOSTILE + "\n")
    emit_lines([HOSTILE])
    say(HOSTILE)
    write_stderr(HOSTILE)
    out, err = capsys.readouterr()

    assert not DANGEROUS.search(out + err)
    assert out.count("x\\x1b[2J\\x1b]0;title\\x07") == 2


def test_guarded_keeps_text_and_our_own_colours() -> None:
    for text in ("plain\n", "tab\tand\nlines", "\x1b[31mred\x1b[0m", "👩\u200d💻 Grüße\n"):
        assert guarded(text) == text
    assert guarded("\x1b[8mhidden\x1b[99m") == "\\x1b[8mhidden\\x1b[99m"
