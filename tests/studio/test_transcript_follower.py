"""Studio imports transcripts by itself, in a process that ends with it."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.studio import AUTH, Running, application, server, until_answering
from tests.support.transcripts import ClaudeTranscript

from lionstudio.cli._toolkit.args import parse
from lionstudio.cli.studio import follows_transcripts
from lionstudio.settings import load_settings


def until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if result := condition():
            return result
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIONAGI_FOLLOW_TRANSCRIPTS", "true")
    for name, folder in (("CLAUDE_CONFIG_DIR", "claude"), ("CODEX_HOME", "codex")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    return tmp_path


def follower(studio: Running) -> dict[str, Any]:
    result: dict[str, Any] = studio.ask("GET", "/api/admin/imports")[1]["follower"]
    return result


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def log_events(studio: Running) -> list[str]:
    return [json.loads(line)["event"] for line in (studio.home / "logs" / "studio.log").read_text().splitlines()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_studio_imports_new_transcripts_and_its_follower_ends_with_it(tools: Path, number: signal.Signals) -> None:
    with server(tools) as studio:
        until_answering(studio)
        # the two tools are started one after the other
        until(lambda: {tool["title"] for tool in follower(studio)["tools"]} == {"Claude Code", "Codex"})
        pid = follower(studio)["tools"][0]["pid"]
        ClaudeTranscript(tools / "claude").talk(1)
        [run] = until(lambda: studio.ask("GET", "/api/runs")[1]["runs"])
        assert run["source_kind"] == "imported_claude"
        studio.stop(number)
        until(lambda: not is_alive(pid))
        events = log_events(studio)
        assert events[:2] == ["started_studio", "following"]
        assert (events[-1] == "stopped_studio") is (number is not signal.SIGKILL)


def test_follower_redacts_the_secrets_of_our_environment(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROD_DB_PASSWORD", "Zq8vKd03LmNa7Qr2")
    with server(tools) as studio:
        until_answering(studio)
        pid = until(lambda: follower(studio)["tools"])[0]["pid"]
        ClaudeTranscript(tools / "claude").user("it is Zq8vKd03LmNa7Qr2, is it?")
        [run] = until(lambda: studio.ask("GET", "/api/runs")[1]["runs"])
        assert b"Zq8vKd03LmNa7Qr2" not in Path(f"/proc/{pid}/environ").read_bytes()
        messages = until(lambda: studio.ask("GET", f"/api/sessions/{run['id']}/messages")[1]["messages"])
    assert "it is [REDACTED:environment:" in json.dumps(messages)
    stored = b"".join(path.read_bytes() for path in studio.home.rglob("*") if path.is_file())
    assert b"Zq8vKd03LmNa7Qr2" not in stored


def test_following_can_be_switched_off_and_on(tools: Path) -> None:
    with server(tools) as studio:
        until_answering(studio)
        until(lambda: follower(studio)["tools"])
        status, answer = studio.ask("POST", "/api/admin/follow", {"enabled": False})
        assert (status, answer["follower"]["enabled"]) == (200, False)
        until(lambda: not follower(studio)["tools"])
        studio.ask("POST", "/api/admin/follow", {"enabled": True})
        until(lambda: follower(studio)["tools"])


def test_second_studio_stands_by_and_takes_over(tools: Path) -> None:
    with server(tools) as first, server(tools) as second:
        until_answering(first)
        until_answering(second)
        pid = until(lambda: follower(second)["tools"])[0]["pid"]
        follow = follower(first)
        assert follow["enabled"]
        assert {tool["pid"] for tool in follow["tools"]} == {pid}
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        holder, other = (first, second) if first.process.pid == parent else (second, first)
        holder.stop()
        until(lambda: (tools_now := follower(other)["tools"]) and tools_now[0]["pid"] != pid)


def test_follower_that_ends_is_started_again_and_the_reason_is_kept(tools: Path) -> None:
    with server(tools) as studio:
        until_answering(studio)
        pid = until(lambda: follower(studio)["tools"])[0]["pid"]
        os.kill(pid, signal.SIGKILL)
        assert until(lambda: follower(studio)["error"])
        assert until(lambda: follower(studio)["tools"])[0]["pid"] != pid


def test_read_only_studio_does_not_follow(tools: Path) -> None:
    with application(tools, read_only=True) as studio:
        assert not studio.services.follower.enabled
        refused = studio.client.post("/api/admin/follow", json={"enabled": True}, headers=AUTH)
        assert refused.status_code == 403


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], True),
        (["--no-follow"], False),
        (["--read-only"], False),
        (["--read-only", "--follow"], False),
        (["--db", "/tmp/other.db"], False),
        (["--db", "/tmp/other.db", "--follow"], True),
    ],
)
def test_follow_option_wins_over_the_setting(tmp_path: Path, options: list[str], expected: bool) -> None:
    args = parse("studio", options)
    settings = load_settings({"home": str(tmp_path), "db": vars(args).get("db")}, {}, str(tmp_path))
    assert follows_transcripts(args, settings) is expected
    off = settings._replace(follow_transcripts=False)
    assert follows_transcripts(args, off) is (expected and "--follow" in options)


def test_studio_says_in_the_terminal_and_log_that_a_database_is_foreign(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    foreign = apsw.Connection(str(tmp_path / "home" / "state.db"))
    foreign.execute("CREATE TABLE pets (name)")
    foreign.close()
    with server(tmp_path) as studio:
        text = until(lambda: (content := (tmp_path / "server.log").read_text()) and "try:" in content and content)
        assert "state.db" in text
        studio.stop()
        assert "database" in log_events(studio)
