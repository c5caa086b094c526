"""A new person goes from the empty home to an exported run without a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.browser import Studio, Watched, serve
from tests.support.first_day import first_day, write_history
from tests.support.studio import settings_in


def test_new_person_imports_runs_answers_forks_compares_and_exports(
    visit: Callable[..., Watched], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_history(tmp_path / "claude")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    with serve(tmp_path, "--no-follow") as running:
        page = visit(Studio(running, settings_in(tmp_path), None)).open()
        exported = first_day(page, work, lambda page, name: None)

        html = exported.read_text()
        assert html.startswith("<!doctype html>")
        assert "Which greeting do you like?" in html
        assert "Hello, world!" in html
        assert "<script" not in html
        page.context.close()
