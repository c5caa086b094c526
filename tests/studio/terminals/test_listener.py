"""The socket of hooks: live state, held permission prompts, and everything that must not work."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.hook_programs import HookProgram, hook_program, output_of
from tests.support.studio import Running, server, until_answering
from tests.support.waiting import wait_until

from lionstudio.agents.hooks import client
from lionstudio.agents.hooks.payloads import transcript_tool
from lionstudio.state.exchange.questions import get_question
from lionstudio.state.exchange.terminals import find_terminal, list_arrivals
from lionstudio.state.sqlite.open import open_reader
from lionstudio.system.li_process import li_argv

CONVERSATION = "146677ae-2c3c-4d23-962d-cdb0aa12efec"
SESSION = transcript_tool("claude").session_id(CONVERSATION)


def event(name: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": CONVERSATION, "cwd": "/", **more}


def permission(command: str = "ls", **more: Any) -> dict[str, Any]:
    return event("PermissionRequest", tool_name="Bash", tool_input={"command": command}, **more)


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Running]:
    with server(tmp_path, "--no-follow") as running:
        until_answering(running)
        # it takes hooks a moment after it answers requests
        wait_until(lambda: running.ask("GET", "/api/terminals")[1]["listens"])
        yield running


@pytest.fixture
def program(tmp_path: Path, studio: Running) -> Iterator[HookProgram]:
    with hook_program(tmp_path / "program", "claude", socket_of(studio)) as running:
        yield running


def socket_of(studio: Running) -> Path:
    return studio.home / "run" / "hooks.sock"


def questions(studio: Running, count: int = 1, status: str = "open") -> list[dict[str, Any]]:
    deadline = time.monotonic() + 20
    while True:
        listed: list[dict[str, Any]] = studio.ask("GET", f"/api/questions?status={status}")[1]["questions"]
        if len(listed) == count:
            return listed
        assert time.monotonic() < deadline, listed
        time.sleep(0.02)


def question(studio: Running, question_id: str) -> dict[str, Any]:
    found: dict[str, Any] = studio.ask("GET", f"/api/questions/{question_id}")[1]["question"]
    return found


def answer(studio: Running, question_id: str, **body: Any) -> int:
    return studio.ask("POST", f"/api/questions/{question_id}/answer", body)[0]


def state_of(studio: Running) -> str | None:
    conn = open_reader(str(studio.home / "state.db"))
    try:
        terminal = find_terminal(conn, "claude", CONVERSATION)
        return None if terminal is None else str(terminal.state)
    finally:
        conn.close()


def log_of(studio: Running) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (studio.home / "logs" / "studio.log").read_text().splitlines()]


def refusals(studio: Running) -> list[dict[str, Any]]:
    """The attention items about decisions that agents tried to make."""
    items: list[dict[str, Any]] = studio.ask("GET", "/api/attention")[1]["items"]
    return [item for item in items if item["kind"] == "refused"]


def test_events_are_live_state(studio: Running, program: HookProgram) -> None:
    states = []
    for name in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"):
        assert program.report(event(name)) == ""
        states.append(state_of(studio))
    assert states == ["idle", "working", "working", "idle", "ended"]


def test_permission_is_held_until_answered(studio: Running, program: HookProgram) -> None:
    done = program.start(permission("npm test", permission_suggestions=[{"type": "addRules"}]))
    (asked,) = questions(studio)
    assert (asked["session_id"], asked["title"]) == (SESSION, "Bash: npm test")
    assert [option["id"] for option in asked["options"]] == ["allow", "deny", "always-1"]
    assert state_of(studio) == "waiting"
    inbox = f"/api/sessions/{SESSION}/inbox"
    assert studio.ask("GET", inbox)[1]["deliveries"] == []
    assert studio.ask("POST", inbox, {"text": "hello"})[0] == 400  # it would stay queued for good
    assert not done.exists()
    assert answer(studio, asked["id"], option="deny", text="not now") == 200
    decision = json.loads(output_of(done))["hookSpecificOutput"]["decision"]
    assert decision == {"behavior": "deny", "message": "not now"}
    assert (question(studio, asked["id"])["status"], state_of(studio)) == ("taken", "working")


def test_permission_always_returns_rules_unredacted(studio: Running, program: HookProgram) -> None:
    rule = {
        "type": "addRules",
        "rules": [{"toolName": "Bash", "ruleContent": "curl -H 'token: ghp_" + "a1B2" * 9 + "'"}],
    }
    done = program.start(permission(permission_suggestions=[rule]))
    (asked,) = questions(studio)
    assert "ghp_" not in json.dumps(asked)
    answer(studio, asked["id"], option="always-1")
    decision = json.loads(output_of(done))["hookSpecificOutput"]["decision"]
    assert decision == {"behavior": "allow", "updatedPermissions": [rule]}


def test_tool_that_ran_withdraws_its_question_alone(studio: Running, program: HookProgram) -> None:
    first, second = program.start(permission("one")), program.start(permission("two"))
    asked = {entry["title"]: entry for entry in questions(studio, 2)}
    program.report(event("PostToolUse", tool_name="Bash", tool_input={"command": "one"}))
    assert output_of(first) == ""
    closed = question(studio, asked["Bash: one"]["id"])
    assert (closed["status"], closed["closed_reason"]) == ("withdrawn", "answered in the terminal")
    assert not second.exists()
    program.report(event("Stop"))
    assert output_of(second) == ""
    assert answer(studio, asked["Bash: two"]["id"], option="allow") == 409


def test_stopped_studio_lets_go_of_prompts(studio: Running, program: HookProgram) -> None:
    done = program.start(permission())
    (asked,) = questions(studio)
    code, seconds = studio.stop()
    assert (code, output_of(done)) == (0, "")
    assert seconds < 15  # five on a quiet machine
    conn = open_reader(str(studio.home / "state.db"))
    closed = get_question(conn, asked["id"])
    conn.close()
    assert (closed.status, closed.closed_reason) == ("withdrawn", "Studio stopped; the prompt is in the terminal")


def test_unknown_events_and_fields_are_counted(studio: Running, program: HookProgram) -> None:
    program.report(event("SessionStart", new_field={"a": [1]}, version=99))
    assert program.report(event("BrandNewEvent")) == ""
    conn = open_reader(str(studio.home / "state.db"))
    arrivals = list_arrivals(conn)["claude"]
    conn.close()
    assert (arrivals.events, arrivals.unknown_events, arrivals.hooks_version) == (1, 1, 1)


BAD_PAYLOADS = {
    "empty": b"",
    "text": b"not json",
    "list": b"[]",
    "types": b'{"hook_event_name": 1, "session_id": []}',
    "long id": b'{"hook_event_name": "Stop", "session_id": "' + b"x" * 300 + b'"}',
    "deep": b"[" * 100_000,
    "bytes": b"\xff\xfe",
    "10 MB": json.dumps(permission("x" * 10_000_000)).encode(),
}


def test_bad_payloads_are_refused_silently(studio: Running, program: HookProgram) -> None:
    assert {name: program.report(payload) for name, payload in BAD_PAYLOADS.items()} == dict.fromkeys(BAD_PAYLOADS, "")
    assert questions(studio, 0, "all") == []
    assert state_of(studio) is None
    program.report(event("SessionStart"))
    assert state_of(studio) == "idle"


def test_bad_heads_close_connection(studio: Running) -> None:
    for head in (b"claude 1 99999999999\n", b"other 1 2\n{}", b"claude 1\n", b"x" * 200_000, b""):
        with socket.socket(socket.AF_UNIX) as channel:
            channel.settimeout(20)
            channel.connect(str(socket_of(studio)))
            with suppress(BrokenPipeError, ConnectionResetError):
                channel.sendall(head)
                channel.shutdown(socket.SHUT_WR)
                assert channel.recv(10) == b""
    assert studio.ask("GET", "/healthz")[0] == 200


def test_process_that_is_not_a_vendors_program_is_refused(studio: Running) -> None:
    argv = [sys.executable, "-I", "-S", str(client.__file__), "claude", "1", str(socket_of(studio))]
    done = subprocess.run(argv, input=json.dumps(permission()).encode(), capture_output=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert questions(studio, 0, "all") == []
    assert log_of(studio)[-1]["event"] == "hook_refused"


def test_event_of_another_terminal_is_refused_and_logged(tmp_path: Path, studio: Running, program: HookProgram) -> None:
    done = program.start(permission())
    (asked,) = questions(studio)
    with hook_program(tmp_path / "other", "claude", socket_of(studio)) as forger:
        assert forger.report(event("Stop")) == ""
        assert forger.report(permission("forged")) == ""
    assert question(studio, asked["id"])["status"] in ("asked", "shown")
    assert len(questions(studio, 1, "all")) == 1
    assert log_of(studio)[-1]["event"] == "refused_decision"
    assert ["report a hook event" in json.dumps(item) for item in refusals(studio)] == [True]
    answer(studio, asked["id"], option="allow")
    assert "allow" in output_of(done)


def test_agent_of_li_reports_nothing(tmp_path: Path, studio: Running) -> None:
    """The variable of our runs ends the hook; without it, the process tree gives the agent away."""
    marked = {"LIONAGI_SESSION_ID": "x", "PATH": "/usr/bin:/bin"}
    with hook_program(tmp_path / "marked", "claude", socket_of(studio), marked) as program:
        assert program.report(permission()) == ""
    script = tmp_path / "forge.sh"
    command = f"{sys.executable} -I -S {client.__file__} claude 1 {socket_of(studio)}"
    (tmp_path / "claude").write_text(f"env -u LIONAGI_SESSION_ID {command}; true\n")
    script.write_text(f"echo '{json.dumps(permission())}' | env -u LIONAGI_SESSION_ID sh {tmp_path / 'claude'}\n")
    run = subprocess.run(
        li_argv("agent", "command", "--home", str(studio.home), "--quiet", "forge", "--", "sh", str(script)),
        capture_output=True,
        timeout=60,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    assert b"hookSpecificOutput" not in run.stdout
    assert questions(studio, 0, "all") == []
    refused = log_of(studio)[-1]
    assert (refused["event"], refused["origin"]["via"]) == ("refused_decision", "hook")
    assert ["report a hook event" in json.dumps(item) for item in refusals(studio)] == [True]


def test_agent_in_connected_terminal_cannot_answer_itself(tmp_path: Path, studio: Running) -> None:
    """Its own question, from a process that its program started: by HTTP with the token, and by the command line."""
    forge = tmp_path / "answer.sh"
    token, url = studio.token, studio.url
    forge.write_text(
        f"""#!/bin/sh
id=$(cat {tmp_path}/question)
curl -s -o {tmp_path}/http.out -X POST {url}api/questions/$id/answer -H 'Authorization: Bearer {token}' \\
  -H 'Content-Type: application/json' -d '{{"option": "allow"}}'
{sys.executable} -P -c 'import sys; from lionstudio.cli.main import main; sys.exit(main())' \\
  ask answer $id allow --home {studio.home} 2> {tmp_path}/cli.out
touch {tmp_path}/tried
"""
    )
    with hook_program(tmp_path / "terminal", "claude", socket_of(studio)) as program:
        done = program.start(permission())
        (asked,) = questions(studio)
        (tmp_path / "question").write_text(asked["id"])
        program.run_tool(forge)
        output_of(tmp_path / "tried")
        assert json.loads((tmp_path / "http.out").read_text())["code"] == "agent_caller"
        assert "connected terminal" in (tmp_path / "cli.out").read_text()
        assert question(studio, asked["id"])["status"] in ("asked", "shown")
        answer(studio, asked["id"], option="deny")
        assert "deny" in output_of(done)
    assert {item["session_id"] for item in refusals(studio)} == {SESSION}
