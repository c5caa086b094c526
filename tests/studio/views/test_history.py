"""Transcripts of other programs, counted without reading them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.transcripts import ClaudeTranscript

from lionstudio.studio.views.history import list_histories


def test_list_histories_counts_sessions_but_not_their_sub_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    for number in range(3):
        ClaudeTranscript(tmp_path / "claude", f"s{number}").user("hello")
    ClaudeTranscript(tmp_path / "claude", "s0", agent="helper").user("a task")
    (tmp_path / "claude" / "projects" / "notes.txt").write_text("not a transcript")
    (tmp_path / "claude" / "projects" / "loop").symlink_to(tmp_path / "claude" / "projects")

    claude, codex = list_histories({"imported_claude": 2})

    assert (claude["tool"], claude["title"], claude["sessions"], claude["imported"]) == ("claude", "Claude Code", 3, 2)
    assert (codex["tool"], codex["sessions"], codex["imported"]) == ("codex", 0, 0)
