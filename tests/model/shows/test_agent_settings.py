"""Files that steer agents, by their names."""

from __future__ import annotations

import pytest

from lionstudio.model.shows.agent_settings import describe_steering, is_steering, named_paths

STEERING = [
    "CLAUDE.md",
    "a/b/claude.MD",
    ".claude/settings.json",
    "x/.Claude/hooks/run.sh",
    ".claude",
    "AGENTS.md",
    "AGENTS.override.md",
    ".mcp.json",
    ".codex/config.toml",
    ".lionagi/config.toml",
    "GEMINI.md",
    ".gemini/settings.json",
    ".opencode/agent/x.md",
    ".cursor/rules/x.mdc",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".github/skills/a/SKILL.md",
    ".github/hooks/a.json",
    ".vscode/mcp.json",
    "AGENT.md",
    "WARP.md",
    "CRUSH.md",
    ".kiro/steering/a.md",
    ".junie/guidelines.md",
    ".amazonq/rules/a.md",
    ".continue/config.yaml",
    ".augment/rules/a.md",
    ".openhands/microagents/a.md",
    "\uff23LAUDE.md",
    ".claude. /x",
]
OTHERS = [
    "claude.py",
    "docs/agents.rst",
    "src/claude/md.py",
    ".github/workflows/ci.yml",
    "README.md",
    "mcp.json",
    ".vscode/tasks.json",
]


@pytest.mark.parametrize("path", STEERING)
def test_is_steering_finds_the_name_at_any_depth_and_case(path: str) -> None:
    assert is_steering(path)


@pytest.mark.parametrize("path", OTHERS)
def test_is_steering_leaves_other_names(path: str) -> None:
    assert not is_steering(path)


@pytest.mark.parametrize(
    ("path", "text", "named"),
    [
        ("CLAUDE.md", "See @docs/a.md, and (@b.md).", {"docs/a.md", "b.md"}),
        ("CLAUDE.md", "@my\\ docs/a.md", {"my docs/a.md"}),
        (".claude/settings.json", '{"hooks": [{"command": "\\"$CLAUDE_PROJECT_DIR\\"/bin/x.sh -v"}]}', {"bin/x.sh"}),
        (".mcp.json", '{"a": {"command": "sh", "args": ["-c", "cd . && ./run\\u002esh"]}}', {"./run.sh"}),
        (".mcp.json", '{"a": {"args": ["my tools/run.py"]}}', {"my tools/run.py"}),
        (".mcp.json", '{"a": {"command": "/home/ann/repo/run.sh"}} // mine', {"run.sh"}),
        (".codex/config.toml", 'notify = ["python3", "tools/notify.py"]', {"tools/notify.py"}),
        (".github/hooks/a.json", '{"bash": "./x.sh"}', {"./x.sh"}),
        (".claude/agents/a.md", "---\nhooks:\n  - command: ./x.sh\n---\n", {"./x.sh"}),
    ],
)
def test_named_paths_finds_imports_and_commands(path: str, text: str, named: set[str]) -> None:
    assert named <= set(named_paths(path, text))


def test_named_paths_leaves_permissions_and_prose() -> None:
    assert list(named_paths(".claude/settings.json", '{"permissions": {"allow": ["Edit(src/a.py)"]}}')) == []
    assert list(named_paths("CLAUDE.md", "Read src/a.py first.")) == []


def test_describe_steering_is_one_short_line() -> None:
    text = describe_steering([f"{number}/CLAUDE.md" for number in range(30)])
    assert text.endswith("4/CLAUDE.md and 25 more")
