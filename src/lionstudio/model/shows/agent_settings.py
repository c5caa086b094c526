"""Files of a repository that steer the agents working in it: settings, hooks, instructions, MCP servers."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lionstudio.system.filenames import shown

# lower case, at any depth; a name counts for a file and for a folder
_NAMES = frozenset(
    {
        ".agents",
        ".aider.conf.yml",
        ".amazonq",
        ".augment",
        ".claude",
        ".clinerules",
        ".codex",
        ".continue",
        ".gemini",
        ".goosehints",
        ".junie",
        ".kiro",
        ".lionagi",
        ".mcp.json",
        ".opencode",
        ".openhands",
        ".qwen",
        ".roo",
        ".windsurf",
        ".windsurfrules",
        "agent.md",
        "agents.md",
        "agents.override.md",
        "claude.local.md",
        "claude.md",
        "crush.md",
        "gemini.md",
        "opencode.json",
        "opencode.jsonc",
        "qwen.md",
        "warp.md",
    }
)
_PREFIX = ".cursor"  # .cursor/, .cursorrules, .cursorignore
_IN_GITHUB = ("copilot-instructions.md", "instructions", "prompts", "chatmodes", "agents", "skills", "hooks")
_IN_FOLDERS = frozenset({(".vscode", "mcp.json"), *((".github", name) for name in _IN_GITHUB)})
# settings whose values may be commands, or names of files to read
_SETTINGS = frozenset(
    {
        ".aider.conf.yml",
        ".mcp.json",
        "config.json",
        "config.toml",
        "config.yaml",
        "hooks.json",
        "mcp.json",
        "mcp_config.json",
        "opencode.json",
        "opencode.jsonc",
        "settings.json",
        "settings.local.json",
    }
)
_IMPORT = re.compile(r"@((?:\\ |[^\s\\]){1,4096})")
_COMMAND = re.compile(r"^[ \t-]*command:(.*)$", re.MULTILINE)  # of a hook, in the head of an agent or a skill
_VARIABLE = re.compile(r"\$(?:\w{1,200}|\{[^}]{0,200}\}|\([^)]{0,200}\))")
_WORD = re.compile(r"[\w.@+%~/-]{1,4096}")
_MOST_PARTS = 20  # of an absolute path


def steers(name: str) -> bool:
    """Return whether programs obey a file or folder of this name, in any folder."""
    plain = plain_name(name).rstrip(" .")
    return plain in _NAMES or plain.startswith(_PREFIX)


def plain_name(path: str) -> str:
    """Return the form in which names are compared by file systems that ignore case, or compose characters."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFKC", path).casefold()


def is_steering(path: str) -> bool:
    """Return whether a path is, or lies in, a file or folder that steers agents."""
    parts = path.split("/")
    return any(map(steers, parts)) or not _IN_FOLDERS.isdisjoint(pairwise(map(plain_name, parts)))


def named_paths(path: str, text: str) -> Iterator[str]:
    """Yield what may be paths in a file that steers agents: `@` imports, and the words of commands in settings.

    Most are not: the caller looks whether the file exists.
    """
    parts = plain_name(path).split("/")
    if parts[-1] in _SETTINGS or (".github", "hooks") in pairwise(parts):
        strings = _strings(text)
    else:
        strings = _COMMAND.findall(text)
        for name in _IMPORT.findall(text):
            yield from {(name := name.replace("\\ ", " ")), name.rstrip(".,;:!?)]}>*_'\"`")}
    for string in strings:
        string = _VARIABLE.sub("", string)
        for word in {string.strip(" \t\"'"), *_WORD.findall(string)}:
            yield word
            if word.startswith("/"):  # behind a variable for the folder, or of this machine
                inner = word.split("/")[-_MOST_PARTS:]
                yield from ("/".join(inner[start:]) for start in range(len(inner)))


def describe_steering(paths: Sequence[str]) -> str:
    """Say in one line which files need a person, and why."""
    names = ", ".join(shown(path) for path in paths[:5])
    more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
    count = "1 changed file" if len(paths) == 1 else f"{len(paths)} changed files"
    return f"your approval is needed for {count} that would steer the agents of this repository: {names}{more}"


def _strings(text: str) -> list[str]:
    try:
        values = [json.loads(text)]
    except (ValueError, RecursionError):  # TOML, YAML, JSON with comments
        return text.splitlines()
    strings = []
    while values:
        value = values.pop()
        if isinstance(value, dict):  # permissions name the files of the work
            values += [item for key, item in value.items() if key != "permissions"]
        elif isinstance(value, list):
            values += value
        elif isinstance(value, str):
            strings.append(value)
    return strings
