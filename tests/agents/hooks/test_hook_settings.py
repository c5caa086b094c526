"""Edits of a vendor's settings: our hooks in and out, every other byte as it was."""

from __future__ import annotations

import json

import pytest

from lionstudio.agents.hooks.hook_settings import HOOKED_TOOLS, find_version, hooks_of, with_hooks, without_hooks
from lionstudio.errors import InvalidInput
from lionstudio.model.status.terminals import HOOKS_VERSION

TEXTS = {
    "empty object": "{}\n",
    "two spaces": '{\n  "model": "x",\n  "list": [1,\n2]\n}\n',
    "tabs": '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": [{"type": "command", "command": "x"}]}\n\t\t]\n\t}\n}',
    "one line": '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
    "odd spaces": '{ "hooks" : { "Stop":[ {"hooks":[]} ] , "PreToolUse" : [] } ,\r\n "b":{} }\r\n',
    "escapes": '{\n    "a\\"b{[": "\\u00e9 } ] ,",\n    "z": null\n}',
}


@pytest.mark.parametrize("tool", HOOKED_TOOLS)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_with_hooks_then_without_is_same_text(tool: str, text: str) -> None:
    entries = hooks_of(tool, "/home/user/.lionagi")
    connected = with_hooks(text, entries)
    assert with_hooks(connected, entries) == connected
    assert find_version(connected, tool) == HOOKS_VERSION
    assert without_hooks(connected) == text
    before, after = json.loads(text), json.loads(connected)
    for event, group in entries.items():
        assert after["hooks"][event] == [*before.get("hooks", {}).get(event, []), group]
    assert {key: value for key, value in after.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }


def test_with_hooks_replaces_those_of_another_home() -> None:
    old = with_hooks(TEXTS["two spaces"], hooks_of("claude", "/old"))
    entries = hooks_of("claude", "/new")
    new = with_hooks(old, entries)
    assert "/old" not in new
    assert new == with_hooks(TEXTS["two spaces"], entries)


def test_without_hooks_keeps_hooks_of_others() -> None:
    assert without_hooks(TEXTS["one line"]) == TEXTS["one line"]
    assert find_version(TEXTS["one line"], "claude") is None


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        '{"hooks": {}, "hooks": {}}',
        "// x\n{}",
        "nul",
        "[" * 99_999,
    ],
)
def test_with_hooks_refuses_invalid_file(text: str) -> None:
    with pytest.raises(InvalidInput):
        with_hooks(text, hooks_of("claude", "/home"))


def test_command_quotes_paths() -> None:
    command = hooks_of("claude", "/home/o'neil $(id)")["Stop"]["hooks"][0]["command"]
    assert "'/home/o'\"'\"'neil $(id)/run/hooks.sock'" in command
