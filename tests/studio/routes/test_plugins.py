"""`/api/plugins`: hostile plugins show no file outside of them, no secret, and cannot fill the memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.plugin_seed import plugin, skill
from tests.support.studio import AUTH, InProcess, application

KEY = "NzE4ZTk4YzQtZDQ4Ny00YTE1"


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcess]:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    with application(tmp_path) as running:
        yield running


def details(studio: InProcess) -> Any:
    [listed] = studio.client.get("/api/plugins", headers=AUTH).json()["items"]
    answer = studio.client.get(f"/api/plugins/{listed['id']}", headers=AUTH)
    assert answer.status_code == 200, answer.text
    return answer


def test_plugin_lists_no_file_of_a_folder_that_a_skill_links_to(studio: InProcess, tmp_path: Path) -> None:
    private = tmp_path / "private"
    plugin(private, None, {"SKILL.md": skill("x", "x"), "id_secret_name": "key"})
    folder = plugin(Path(studio.services.settings.home) / "plugins" / "evil", {"name": "evil"}, {"skills/a/x": ""})
    (folder / "skills" / "link").symlink_to(private)
    assert "id_secret_name" not in details(studio).text


def test_plugin_with_many_names_of_one_file_has_a_bounded_answer(studio: InProcess) -> None:
    files = {"commands/c0.md": "x" * 190_000, "skills/deep/SKILL.md": skill("x", "x")}
    files |= {f"skills/deep/{a}/{b}/f{c}": "" for a in range(5) for b in range(5) for c in range(20)}
    folder = plugin(Path(studio.services.settings.home) / "plugins" / "evil", {"name": "evil"}, files)
    for number in range(1, 100):
        os.link(folder / "commands" / "c0.md", folder / "commands" / f"c{number}.md")
    answer = details(studio)
    assert len(answer.content) < 6_000_000
    assert len(answer.json()["texts"]) == 101
    [deep] = [text for text in answer.json()["texts"] if text["name"] == "deep"]
    assert len(deep["files"]) == 200


@pytest.mark.parametrize(
    "server",
    [
        {"url": f"https://mcp.example/api/s/{KEY}/mcp"},
        {"url": f"//user:{KEY}@mcp.example/x"},
        {"url": f"user:{KEY}@mcp.example"},
        {"command": "npx", "args": ["mcp-remote", f"https://mcp.example/api/s/{KEY}/mcp"]},
    ],
)
def test_plugin_shows_no_key_in_an_address(studio: InProcess, server: dict[str, Any]) -> None:
    hook = {"PreToolUse": [{"hooks": [{"type": "http", "url": f"https://hooks.example/{KEY}"}]}]}
    files = {".mcp.json": json.dumps({"mcpServers": {"s": server}}), "hooks/hooks.json": json.dumps({"hooks": hook})}
    plugin(Path(studio.services.settings.home) / "plugins" / "p", {"name": "p"}, files)
    answer = details(studio)
    assert [each["name"] for each in answer.json()["servers"]] == ["s"]
    assert len(answer.json()["hooks"]) == 1
    assert KEY not in answer.text
    assert KEY not in studio.client.get("/api/plugins", headers=AUTH).text
