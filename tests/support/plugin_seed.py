"""Plugins as people have them: in the home of Lion Studio and in Claude Code's cache, in versions, and broken ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.seed import HOSTILE

SECRET = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
PASSWORD = "correct-horse-battery-77"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def plugin(folder: Path, manifest: dict[str, Any] | str | None, files: dict[str, str]) -> Path:
    """A plugin folder with its manifest and files."""
    if manifest is not None:
        text = manifest if isinstance(manifest, str) else json.dumps(manifest)
        write(folder / ".claude-plugin" / "plugin.json", text)
    for name, text in files.items():
        write(folder / name, text)
    return folder


def skill(description: str, body: str) -> str:
    return f"---\ndescription: {description}\n---\n{body}\n"


_REVIEW = {
    "README.md": "# Code review\n\nReviews **pull requests**.\n\n" + HOSTILE,
    "skills/security/SKILL.md": skill("Find injection and secrets", "# Security\n\nRead `checklist.md` first."),
    "skills/security/checklist.md": "- SQL\n",
    "skills/security/scripts/scan.py": "print('scan')\n",
    "skills/tests/SKILL.md": skill("Check that tests can fail", "Break the code, run the tests."),
    "agents/reviewer.md": skill("Reads a diff", "You read diffs."),
    "commands/review.md": skill("Review a branch", "Review $ARGUMENTS."),
    "hooks/hooks.json": json.dumps(
        {
            "hooks": {
                "PreToolUse": [
                    {"matcher": "Bash", "hooks": [{"type": "command", "command": f"guard --token {SECRET} check"}]}
                ]
            }
        }
    ),
    ".mcp.json": json.dumps(
        {
            "mcpServers": {
                "github": {
                    "command": "npx",
                    "args": ["-y", "@acme/github-mcp", "--token", SECRET],
                    "env": {"GITHUB_TOKEN": SECRET, "LOG_LEVEL": PASSWORD},
                },
                "tracker": {
                    "url": f"https://user:{PASSWORD}@tracker.example/mcp?key={SECRET}",
                    "headers": {"Authorization": f"Bearer {SECRET}"},
                },
            }
        }
    ),
}


def seed_plugins(home: Path, claude: Path) -> None:
    """Five plugins that load and two that do not, in three roots."""
    cache = claude / "plugins" / "cache" / "acme"
    described = {"name": "code-review", "description": "Reviews of pull requests"}
    plugin(cache / "code-review" / "1.4.0", {**described, "version": "1.4.0"}, _REVIEW)
    plugin(cache / "code-review" / "1.3.0", {**described, "version": "1.3.0"}, {"README.md": "# Old\n"})
    plugin(home / "plugins" / "code-review", {**described, "version": "0.9.0"}, {"README.md": "# Mine\n"})
    plugin(home / "plugins" / "notes", None, {"skills/daily/SKILL.md": skill("Write the notes of a day", "Write.")})
    shop = home / "marketplace-team" / "deploy"
    plugin(shop, {"name": "deploy", "version": "2.0.0"}, {"commands/ship.md": skill("Ship", "Ship it.")})
    plugin(cache / "torn" / "1.0.0", '{"name": "torn", ', {"README.md": "# Torn\n"})
    plugin(cache / "listed" / "1.0.0", '["not", "an object"]', {})


def seed_many(home: Path, count: int) -> None:
    for number in range(count):
        fields = {"name": f"plugin-{number:02}", "version": "1.0.0", "description": f"Tool number {number}"}
        plugin(home / "plugins" / f"plugin-{number:02}", fields, {"README.md": f"# {number}\n"})
