"""The hooks that `li connect` writes into a vendor's settings: which events, in which file, and the edit of its text.

Both vendors have the same JSON: `{"hooks": {EVENT: [{"hooks": [{"type": "command", …}]}]}}`. The edit inserts and
removes our entries and leaves every other byte as it is.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.agents.hooks import client
from lionstudio.agents.hooks.payloads import PERMISSION
from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import dict_of, list_of
from lionstudio.model.status.terminals import HOOKS_VERSION
from lionstudio.system.li_process import isolated_command

_MARK = os.path.join("agents", "hooks", "client.py")
_PERMISSION_SECONDS = 3600
_CODEX_SECONDS = 30  # a prompt of Codex waits for its hook
_STATE_SECONDS = 3
_DECODER = json.JSONDecoder()


class HookedTool(NamedTuple):
    """The events that are needed, and the places of the settings."""

    events: tuple[str, ...]
    home_variable: str
    folder: str  # in the user's home, and in a project
    user_file: str
    project_file: str
    permission_seconds: int
    is_async: bool  # other events do not make the program wait
    advice: str


HOOKED_TOOLS: Mapping[str, HookedTool] = {
    "claude": HookedTool(
        events=(
            "SessionStart",
            "UserPromptSubmit",
            PERMISSION,
            "PostToolUse",
            "PostToolUseFailure",
            "Stop",
            "SessionEnd",
        ),
        home_variable="CLAUDE_CONFIG_DIR",
        folder=".claude",
        user_file="settings.json",
        # the file that is not shared with others: the command has paths of this machine
        project_file="settings.local.json",
        permission_seconds=_PERMISSION_SECONDS,
        is_async=True,
        advice="Terminals that run already take it up when they are started again.",
    ),
    "codex": HookedTool(
        events=("SessionStart", "UserPromptSubmit", PERMISSION, "PostToolUse", "Stop", "Interrupt", "SessionEnd"),
        home_variable="CODEX_HOME",
        folder=".codex",
        user_file="hooks.json",
        project_file="hooks.json",
        permission_seconds=_CODEX_SECONDS,
        is_async=False,
        advice="Codex runs a hook after you trusted it: start codex, open /hooks, and trust those of Lion Studio.",
    ),
}


def socket_path(home: str) -> str:
    """The socket of Studio that the hooks report to."""
    return os.path.join(home, "run", "hooks.sock")


def settings_file(tool: str, project: str | None = None) -> str:
    """The file that is edited: of the user, or of a project folder."""
    hooked = HOOKED_TOOLS[tool]
    if project is not None:
        return os.path.join(project, hooked.folder, hooked.project_file)
    home = os.environ.get(hooked.home_variable) or os.path.join(os.path.expanduser("~"), hooked.folder)
    return os.path.join(home, hooked.user_file)


def hooks_of(tool: str, home: str) -> dict[str, dict[str, Any]]:
    """Our entry for each event."""
    hooked = HOOKED_TOOLS[tool]
    command = isolated_command(str(client.__file__), tool, str(HOOKS_VERSION), socket_path(home))
    waits = {"timeout": hooked.permission_seconds}
    quick: dict[str, Any] = {"timeout": _STATE_SECONDS}
    background = quick | ({"async": True} if hooked.is_async else {})
    limits = {PERMISSION: waits, "SessionEnd": quick}  # the program does not wait for background hooks when it ends
    return {
        event: {"hooks": [{"type": "command", "command": command, **limits.get(event, background)}]}
        for event in hooked.events
    }


def find_version(text: str, tool: str) -> int | None:
    """The version of our hooks in a file, 0 for one that cannot be told; None when it has none of them."""
    ours = [group for groups in parse_hooks(text).values() for group in list_of(groups) if _is_ours(group)]
    if not ours:
        return None
    word = ours[0]["hooks"][0]["command"].partition(f"{_MARK} {tool} ")[2].partition(" ")[0]
    return int(word) if word.isdecimal() else 0


def with_hooks(text: str, entries: Mapping[str, Mapping[str, Any]]) -> str:
    """The text with our entries; it stays as it is when it has just them."""
    ours = {
        event: groups
        for event, lists in parse_hooks(text).items()
        if (groups := [group for group in list_of(lists) if _is_ours(group)])
    }
    if ours == {event: [group] for event, group in entries.items()}:
        return text
    text = without_hooks(text) if text.strip() else "{}\n"
    for event, group in entries.items():
        hooks = parse_hooks(text)
        if event in hooks:
            text = _append(text, ("hooks", event), None, group)
        elif hooks or "hooks" in json.loads(text):
            text = _append(text, ("hooks",), event, [group])
        else:
            text = _append(text, (), "hooks", {event: [group]})
    return text


def without_hooks(text: str) -> str:
    """The text without our entries, and without a list or object that they leave empty."""
    for event, groups in parse_hooks(text).items():
        numbers = [number for number, group in enumerate(list_of(groups)) if _is_ours(group)]
        for number in reversed(numbers):
            text = _remove(text, ("hooks", event), number)
        if numbers and len(numbers) == len(groups):
            text = _remove(text, ("hooks",), event)
            if not parse_hooks(text):
                text = _remove(text, (), "hooks")
    return text


def parse_hooks(text: str) -> dict[str, Any]:
    """The hooks of a settings file; raises InvalidInput for a file that must not be edited."""
    if not text.strip():
        return {}
    try:
        data = json.loads(text, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"it is not valid JSON: {error}", hint="correct it or move it away") from None
    hooks = data.get("hooks", {}) if isinstance(data, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise InvalidInput("its hooks are not an object of lists", hint="correct it or move it away")
    return hooks


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("an object has a key twice")
    return members


def _is_ours(group: Any) -> bool:
    handlers = list_of(dict_of(group).get("hooks"))
    commands = [dict_of(handler).get("command") for handler in handlers]
    return bool(commands) and all(isinstance(command, str) and _MARK in command for command in commands)


# ── edits of the text ────────────────────────────────────────────────────


class _Item(NamedTuple):
    """A member of an object or an item of a list: where it starts, where its value starts, and where it ends."""

    key: str | int
    start: int
    value: int
    end: int


def _append(text: str, path: tuple[str | int, ...], key: str | None, value: Any) -> str:
    """The text with one more member or item at the end of a container."""
    items, close = _items(text, _find(text, path))
    unit, depth = _indent_of(text), len(path) + 1
    body = json.dumps(value, indent=unit or None, ensure_ascii=False)
    if key is not None:
        body = f"{json.dumps(key)}: {body}"
    new_line = f"\n{unit * depth}" if unit else ""
    body = new_line + (body.replace("\n", new_line) if unit else body)
    if items:
        return f"{text[: items[-1].end]},{body if unit else f' {body}'}{text[items[-1].end :]}"
    end = f"\n{unit * (depth - 1)}" if unit else ""
    return text[:close].rstrip() + body + end + text[close:]


def _remove(text: str, path: tuple[str | int, ...], key: str | int) -> str:
    """The text without one member or item and its comma."""
    items, close = _items(text, _find(text, path))
    number = next(number for number, item in enumerate(items) if item.key == key)
    item = items[number]
    if number:
        return text[: items[number - 1].end] + text[item.end :]
    if len(items) > 1:
        return text[: item.start] + text[items[1].start :]
    return text[: item.start].rstrip() + text[close:]


def _find(text: str, path: tuple[str | int, ...]) -> int:
    position = _skip(text, 0)
    for key in path:
        position = next(item.value for item in _items(text, position)[0] if item.key == key)
    return position


def _items(text: str, opening: int) -> tuple[list[_Item], int]:
    """The items of a container of valid JSON, and the position of its closing bracket."""
    items: list[_Item] = []
    is_object = text[opening] == "{"
    position = _skip(text, opening + 1)
    while text[position] not in "}]":
        start = position
        key: str | int = len(items)
        if is_object:
            key, position = _DECODER.raw_decode(text, position)
            position = _skip(text, _skip(text, position) + 1)  # the colon
        _, end = _DECODER.raw_decode(text, position)
        items.append(_Item(key, start, position, end))
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return items, position


def _skip(text: str, position: int) -> int:
    while text[position] in " \t\r\n\ufeff":
        position += 1
    return position


def _indent_of(text: str) -> str:
    """One step of the file's indentation; empty when it is on one line."""
    if text.strip() == "{}":
        return "  "
    match = re.search(r"\{[ \t]*\r?\n([ \t]+)", text)
    return match[1] if match else ""
