"""Launches: real processes from an allow-list, started once per key, listed and stopped."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.studio import AUTH, InProcess, application

from lionstudio.errors import InvalidInput
from lionstudio.studio.launch.launcher import MOST_RUNNING
from lionstudio.studio.launch.policy import run_argv


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        yield running


def launch(studio: InProcess, headers: dict[str, str] | None = None, **body: Any) -> Any:
    answer = studio.client.post("/api/launches", headers={**AUTH, **(headers or {})}, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["launch"]


def until_ended(studio: InProcess, launch_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        launch: dict[str, Any] = next(
            each for each in studio.get("/api/launches")["launches"] if each["id"] == launch_id
        )
        if not launch["running"]:
            return launch
        time.sleep(0.05)
    raise AssertionError("it did not end")


def test_launch_records_a_session(studio: InProcess) -> None:
    started = launch(studio, verb="agent", target="script", prompt="@say hello there", options={"name": "mine"})
    ended = until_ended(studio, started["id"])

    assert ended["exit_code"] == 0, Path(ended["log"]).read_text()
    session = studio.get(f"/api/runs/{started['session_id']}")["session"]
    assert (session["name"], session["status"]) == ("mine", "completed")
    messages = studio.get(f"/api/sessions/{started['id']}/messages")["messages"]
    assert "hello there" in str(messages[-1]["content"])
    assert "hello" not in str(started)


def test_launch_with_a_long_prompt_does_not_block(studio: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program reads stdin only after the server has answered; a full pipe would block the server."""
    slow = "import os, sys, time\nfor _ in range(200):\n time.sleep(0.05 * (not os.path.exists('{go}')))\n"
    go = os.path.join(studio.services.settings.home, "go")
    told = "print(os.path.exists('{go}'), len(sys.stdin.read()))"
    monkeypatch.setattr("lionstudio.system.li_process.MAIN", (slow + told).replace("{go}", go))
    started = launch(studio, verb="agent", target="script", prompt="x" * 900_000)
    Path(go).touch()
    ended = until_ended(studio, started["id"])

    assert Path(ended["log"]).read_text() == "True 900000\n"


def test_launch_with_a_repeated_key_starts_once(studio: InProcess) -> None:
    key = {"Idempotency-Key": "once"}
    first = launch(studio, key, verb="agent", target="script", prompt="@say hi")
    second = launch(studio, key, verb="agent", target="script", prompt="@say hi")
    until_ended(studio, first["id"])

    assert first["id"] == second["id"]
    assert len(studio.get("/api/launches")["launches"]) == 1


def test_stop_launch_signals_only_its_own_process(studio: InProcess) -> None:
    started = launch(studio, verb="agent", target="script", prompt="@hang")
    deadline = time.monotonic() + 20
    while studio.client.get(f"/api/runs/{started['id']}", headers=AUTH).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert studio.client.delete(f"/api/launches/{started['id']}", headers=AUTH).status_code == 200
    until_ended(studio, started["id"])

    assert studio.get(f"/api/runs/{started['id']}")["session"]["status"] == "cancelled"
    assert studio.client.delete("/api/launches/none", headers=AUTH).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"verb": "state", "target": "prune", "prompt": ""},
        {"verb": "agent; rm -rf", "target": "script", "prompt": "x"},
        {"verb": "agent", "target": "--help", "prompt": "x"},
        {"verb": "agent", "target": "../x", "prompt": "x"},
        {"verb": "agent", "prompt": "x"},
        {"verb": "flow", "target": "x", "prompt": "x"},
        {"verb": "agent", "target": "script", "prompt": "x", "options": {"pass_env": "SECRET"}},
        {"verb": "agent", "target": "script", "prompt": "x", "options": {"home": "/"}},
        {"verb": "agent", "target": "script", "prompt": "x", "options": {"cwd": "relative"}},
        {"verb": "agent", "target": "script", "prompt": "x", "options": {"cwd": "/nowhere-at-all"}},
        {"verb": "play", "target": "p", "prompt": "x", "options": {"arg": "no list"}},
        {"verb": "agent", "target": "script", "prompt": "x", "options": {"name": "a\0b"}},
    ],
)
def test_launch_refuses_commands_outside_the_policy(studio: InProcess, body: dict[str, Any]) -> None:
    answer = studio.client.post("/api/launches", headers=AUTH, json=body)

    assert answer.status_code == 400, answer.text
    assert studio.get("/api/launches")["launches"] == []


def test_launch_value_is_never_parsed_as_an_option() -> None:
    words = run_argv("agent", "claude/opus", {"name": "--help", "timeout": 5}, "id")

    assert words == ["agent", "claude/opus", "-", "--name=--help", "--timeout=5", "--session-id", "id"]
    with pytest.raises(InvalidInput):
        run_argv("agent", "claude/../x", {}, "id")


def read_environ(pid: int) -> bytes:
    """The environment of a new process; the kernel shows an empty one until `exec` is complete."""
    deadline = time.monotonic() + 10
    while not (environ := Path(f"/proc/{pid}/environ").read_bytes()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return environ


def test_launch_environment_has_no_secrets(studio: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_PASSWORD", "do-not-pass-on")
    started = launch(studio, verb="agent", target="script", prompt="@hang")
    environ = read_environ(started["pid"])
    studio.client.delete(f"/api/launches/{started['id']}", headers=AUTH)

    assert b"do-not-pass-on" not in environ
    assert os.fsencode(studio.services.settings.home) in environ
    assert studio.services.credentials.token.encode() not in environ
    until_ended(studio, started["id"])


def test_launcher_limits_running_processes(studio: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.studio.launch.launcher.MOST_RUNNING", 0)
    answer = studio.client.post(
        "/api/launches", headers=AUTH, json={"verb": "agent", "target": "script", "prompt": "x"}
    )

    assert MOST_RUNNING > 1
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "5")


def test_launch_that_cannot_write_is_507(studio: InProcess) -> None:
    logs = Path(studio.services.settings.home) / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.write_text("in the way")
    body = {"verb": "agent", "target": "script", "prompt": "@say hi", "options": {}}
    answer = studio.client.post("/api/launches", headers=AUTH, json=body)
    assert (answer.status_code, answer.json()["code"]) == (507, "storage_failed")
    assert "logs" in answer.json()["detail"]
    assert studio.get("/api/launches")["launches"] == []
