"""`li connect`: the settings of the user, and the files that it must not touch."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.support.commands import CommandResult, run_li

from lionstudio.runs.callers import caller
from lionstudio.state.database import Database
from lionstudio.system.callers.ancestry import AncestorProcess


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of Claude Code, in a folder of the test."""
    folder = tmp_path / "claude"
    folder.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.chdir(tmp_path)
    return folder / "settings.json"


def connect(tmp_path: Path, *options: str) -> CommandResult:
    return run_li("connect", *options, "--home", str(tmp_path / "home"))


def test_connect_twice_is_once_and_undo_restores(tmp_path: Path, file: Path) -> None:
    text = '{\n  "model": "opus"\n}\n'
    file.write_text(text)
    file.chmod(0o640)
    first = connect(tmp_path, "claude", "--yes", "--json").json
    assert (first["changed"], first["file"]) == (True, str(file))
    assert '+  "hooks": {' in first["diff"]
    connected = file.read_text()
    again = connect(tmp_path, "claude", "--yes", "--json").json
    assert (again["changed"], file.read_text(), file.stat().st_mode & 0o777) == (False, connected, 0o640)
    assert connect(tmp_path, "claude", "--undo", "--yes").code == 0
    assert file.read_text() == text
    assert connect(tmp_path, "claude", "--undo", "--yes", "--json").json["changed"] is False


def test_connect_creates_missing_file(tmp_path: Path, file: Path) -> None:
    assert connect(tmp_path, "codex", "--yes").code == 0
    hooks = json.loads((tmp_path / "codex" / "hooks.json").read_text())["hooks"]
    assert hooks["PermissionRequest"][0]["hooks"][0]["timeout"] == 30
    assert not file.exists()


def test_connect_project_writes_local_settings(tmp_path: Path, file: Path) -> None:
    assert connect(tmp_path, "claude", "--scope", "project", "--yes").code == 0
    assert "PermissionRequest" in (tmp_path / ".claude" / "settings.local.json").read_text()
    assert not file.exists()


def test_connect_without_terminal_needs_yes(tmp_path: Path, file: Path) -> None:
    done = connect(tmp_path, "claude")
    assert (done.code, file.exists()) == (2, False)
    assert "--yes" in done.err


@pytest.mark.parametrize("text", ["{ broken", "// comment\n{}", '{"hooks": 1}', "\x00"])
def test_connect_refuses_invalid_file(tmp_path: Path, file: Path, text: str) -> None:
    file.write_text(text)
    done = connect(tmp_path, "claude", "--yes")
    assert (done.code, file.read_text()) == (2, text)
    assert str(file) in done.err


def test_connect_refuses_read_only_file(tmp_path: Path, file: Path) -> None:
    file.write_text("{}")
    file.chmod(0o400)
    done = connect(tmp_path, "claude", "--yes")
    assert (done.code, file.read_text()) == (2, "{}")
    assert "read-only" in done.err


def test_connect_changes_target_of_link_for_user(tmp_path: Path, file: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}\n")
    file.symlink_to(target)
    assert connect(tmp_path, "claude", "--yes").code == 0
    assert file.is_symlink()
    assert "PermissionRequest" in target.read_text()


def test_connect_project_refuses_link(tmp_path: Path, file: Path) -> None:
    target = tmp_path / "elsewhere.json"
    target.write_text("{}\n")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.local.json").symlink_to(target)
    assert connect(tmp_path, "claude", "--scope", "project", "--yes").code == 2
    assert target.read_text() == "{}\n"


def test_connect_refuses_agents(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process = AncestorProcess(os.getpid(), 1, "sh", None, 1)
    monkeypatch.setattr("lionstudio.cli._person.this_process", lambda: caller.Caller("cli", (process,), "an agent"))
    for options in (("claude", "--yes"), ("claude", "--undo", "--yes")):
        done = connect(tmp_path, *options)
        assert (done.code, file.exists()) == (1, False)
        assert "only a person decides" in done.err


def test_doctor_reports_silent_and_outdated_hooks(tmp_path: Path, file: Path, db: Database) -> None:
    def findings() -> list[str]:
        listed = run_li("state", "doctor", "--db", db.path, "--json").json["findings"]
        return [finding["code"] for finding in listed if finding["code"].startswith("hooks.")]

    assert findings() == []
    connect(tmp_path, "claude", "--yes")
    assert findings() == ["hooks.silent"]
    file.write_text(file.read_text().replace("client.py claude 1 ", "client.py claude 0 "))
    assert findings() == ["hooks.outdated", "hooks.silent"]


def test_connect_lists_connections(tmp_path: Path, file: Path) -> None:
    connect(tmp_path, "claude", "--yes")
    listed = connect(tmp_path, "--json").json
    assert [(each["tool"], each["version"]) for each in listed["connections"]] == [("claude", 1), ("codex", None)]
    assert listed["studio_listens"] is False
    done = connect(tmp_path)
    assert "connected (hooks version 1), no event yet" in done.out
    file.write_text("{")
    assert "unreadable" in connect(tmp_path, "--status").out
