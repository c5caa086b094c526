"""What a person can start from a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.studio import settings_in

from lionstudio.state.runs.recent_requests import RecentRequest
from lionstudio.studio.launch.choices import folder_problem, list_choices


def choices(home: Path, folder: Path | str | None = None, recent: list[RecentRequest] | None = None) -> dict[str, Any]:
    return list_choices(settings_in(home), None if folder is None else str(folder), recent or [])


def named(items: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(item for item in items if item["name"] == name)


def test_folder_problem_says_why_an_agent_cannot_work_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert folder_problem(str(tmp_path)) is None
    assert folder_problem("src") == "Write the whole path, from / or ~"
    assert folder_problem(str(tmp_path / "none")) == "This folder does not exist"
    assert folder_problem(str(tmp_path / "file")) == "This is not a folder"


def test_list_choices_starts_in_the_newest_folder_that_exists(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    (new / ".git").mkdir(parents=True)
    old.mkdir()
    recent = [RecentRequest(str(path), None, None) for path in (tmp_path / "gone", new, old, new)]

    listed = choices(tmp_path, recent=recent)

    assert listed["folders"] == [str(new), str(old)]
    assert listed["folder"] == {"path": str(new), "problem": None, "is_repository": True}


def test_list_choices_suggests_models_of_the_same_provider_once(tmp_path: Path) -> None:
    recent = [
        RecentRequest(None, provider, model)
        for provider, model in (("claude", "opus"), ("codex", "gpt-5"), ("claude", "haiku"), ("claude", "opus"))
    ]
    models = choices(tmp_path, recent=recent)["models"]

    assert (models["claude"], models["codex"], models["script"]) == (["opus", "haiku"], ["gpt-5"], [])


def test_list_choices_names_a_program_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "codex").touch(0o755)
    monkeypatch.setenv("PATH", str(programs))

    agents = choices(tmp_path)["agents"]

    assert named(agents, "claude")["problem"].startswith("claude was not found on the PATH of Studio: ")
    assert (named(agents, "codex")["program"], named(agents, "codex")["problem"]) == (str(programs / "codex"), None)
    assert named(agents, "script")["problem"] is None
    assert {"acp", "command"}.isdisjoint(agent["name"] for agent in agents)


def test_list_choices_has_broken_definitions_with_their_error(tmp_path: Path) -> None:
    for folder, name, text in (
        ("agents", "critic.md", "---\nprovider: claude\nmodel: opus\n---\nBe strict.\n"),
        ("playbooks", "audit.yaml", "name: audit\nprompt: do {input} at {depth}\nargs:\n  depth: {type: int}\n"),
        ("playbooks", "broken.yaml", "prompt: [\n"),
    ):
        (tmp_path / "home" / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / folder / name).write_text(text)

    listed = choices(tmp_path)

    critic, audit = named(listed["agents"], "critic"), named(listed["playbooks"], "audit")
    assert (critic["kind"], critic["provider"], critic["model"]) == ("agent", "claude", "opus")
    assert "resume" in critic["abilities"]
    assert ([arg["name"] for arg in audit["args"]], audit["takes_input"], audit["problem"]) == (["depth"], True, None)
    assert named(listed["playbooks"], "broken")["problem"]
