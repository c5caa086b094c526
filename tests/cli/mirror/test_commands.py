"""`li mirror` on a terminal, in a pipe and as JSON."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from tests.support.commands import li, run_li, run_on_terminal, start_li
from tests.support.transcripts import CLAUDE, ClaudeTranscript, CodexTranscript

from lionstudio.imports.transcripts.retention import Retention, retention


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data folders of both tools and a home, with their environment variables."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path / "home"))
    return tmp_path


def test_mirror_second_run_reads_nothing_new(tools: Path) -> None:
    ClaudeTranscript(tools / "claude").talk(2)
    first, second = run_li("mirror", "claude"), run_li("mirror", "claude", "--json")
    assert first.out == ("Read 8 messages from 1 new transcript of Claude Code.\n")
    assert (second.json["schema_version"], second.json["messages"], second.json["unchanged"]) == (1, 0, 1)
    assert run_li("state", "ls", "--json").json["sessions"][0]["title"] == "please do 2 things"


def test_mirror_dry_run_writes_nothing(tools: Path) -> None:
    parent = ClaudeTranscript(tools / "claude").talk(2)
    parent.fork(tools / "claude").user("mine")
    done = run_li("mirror", "claude", "--dry-run", "--json").json
    assert (done["dry_run"], done["messages"], done["imported"]) == (True, 9, 2)
    assert not (tools / "home").exists()
    run_li("mirror", "claude")
    assert run_li("mirror", "claude", "--dry-run", "--json").json["messages"] == 0


def test_mirror_in_a_pipe_and_on_a_terminal(tools: Path) -> None:
    talk = CodexTranscript(tools / "codex").begin()
    talk.user("hello")
    env = {"LIONAGI_HOME": str(tools / "home"), "CODEX_HOME": str(tools / "codex")}
    assert "Read 1 message from 1 new transcript of Codex." in li("mirror", "codex", env=env).out
    talk.assistant("hi")
    output = run_on_terminal("mirror", "codex", env=env)
    assert output.code == 0
    assert "Read 1 message from 1 updated transcript of Codex." in output.out


def test_mirror_reports_skipped_lines(tools: Path) -> None:
    talk = ClaudeTranscript(tools / "claude").talk(1)
    with open(talk.path, "a") as file:
        file.write("not json\n[]\n")
    os.mkfifo(talk.path.parent / "pipe.jsonl")
    done = run_li("mirror", "claude")
    assert "1 × not JSON, 1 × not a JSON object" in done.out
    assert "pipe.jsonl: is a pipe, not a file" in done.out


def test_mirror_without_a_data_folder_is_not_found(tools: Path) -> None:
    done = run_li("mirror", "claude", "--json")
    assert done.code == 3
    assert "CLAUDE_CONFIG_DIR" in json.loads(done.err)["error"]["hint"]


def test_mirror_root_selects_another_folder(tools: Path) -> None:
    ClaudeTranscript(tools / "backup").talk(1)
    assert "Read 5 messages" in run_li("mirror", "claude", "--root", str(tools / "backup")).out


def test_mirror_status_counts_transcripts(tools: Path) -> None:
    talk = ClaudeTranscript(tools / "claude").talk(1)
    gone = ClaudeTranscript(tools / "claude").talk(1)
    assert "claude.behind_files\t2\n" in run_li("mirror", "status").out
    run_li("mirror", "claude")
    gone.path.unlink()
    talk.user("more")
    found = run_li("mirror", "status", "--json").json["tools"]
    claude = found[0]
    assert (claude["tool"], claude["found_files"], claude["mirrored_files"]) == ("claude", 1, 1)
    assert (claude["behind_files"], claude["kept_files"], claude["sessions"], claude["messages"]) == (1, 1, 2, 10)
    assert 0 < claude["behind_bytes"] < 1000
    assert claude["retention"]["days"] == 30
    assert found[1]["exists"] is False
    result = run_on_terminal("mirror", "status", columns=200, env={"LIONAGI_HOME": str(tools / "home")}).out
    assert "kept      1 transcript deleted by the tool" in result
    assert 'put "cleanupPeriodDays": 3650 into' in result


def test_mirror_status_shows_the_retention(tools: Path) -> None:
    root = tools / "claude"
    talk = ClaudeTranscript(root).talk(1)
    now = os.stat(talk.path).st_mtime + 25 * 86400

    def claude() -> Retention:
        result = retention(CLAUDE, str(root), now=now)
        assert result is not None
        return result

    assert claude()[:2] == (30, "default")
    assert claude().expiring == 1
    settings = root / "settings.json"
    settings.write_text('{"cleanupPeriodDays": 400}')
    assert claude()[:2] == (400, str(settings))
    assert claude().expiring == 0
    for bad in ("{", "[]", '{"cleanupPeriodDays": "x"}', '{"cleanupPeriodDays": true}'):
        settings.write_text(bad)
        assert claude().days == 30


def test_doctor_prints_the_retention(tools: Path) -> None:
    ClaudeTranscript(tools / "claude").talk(1)
    run_li("mirror", "claude")
    done = run_li("state", "doctor")
    assert done.code == 0
    assert "Claude Code deletes transcripts after 30 days" in done.out
    found = [
        found for found in run_li("state", "doctor", "--json").json["findings"] if found["code"] == "claude.retention"
    ]
    assert [found["severity"] for found in found] == ["info"]


def test_mirror_continues_after_an_interruption(tools: Path) -> None:
    import signal
    import subprocess

    for _ in range(30):
        ClaudeTranscript(tools / "claude").talk(60)
    env = {"LIONAGI_HOME": str(tools / "home"), "CLAUDE_CONFIG_DIR": str(tools / "claude")}
    with start_li("mirror", "claude", env=env) as process:
        deadline = time.monotonic() + 20
        while not (tools / "home" / "state.db").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) in (0, 130)
        assert isinstance(process, subprocess.Popen)
    li("mirror", "claude", env=env)
    assert run_li("mirror", "status", "--json").json["tools"][0]["messages"] == 30 * 182
