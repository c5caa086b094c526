"""The rules that Claude Code suggests with a permission prompt, as options of the question about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from lionstudio.agents.records import text_or_empty
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.questions import AnsweredQuestion, AnswerOption, Effect

_PLACES = {
    "session": " in this run",
    "localSettings": " in this folder",
    "projectSettings": " in this project",
    "userSettings": " everywhere",
}
_MODES = {"acceptEdits": "Allow all edits in this run", "bypassPermissions": "Allow everything in this run"}


def rule_options(suggestions: Sequence[Any]) -> tuple[AnswerOption, ...]:
    """An option for each rule."""
    return tuple(
        AnswerOption(f"always-{number}", _label(dict_of(rule)), Effect.ALLOW_ALWAYS)
        for number, rule in enumerate(suggestions, 1)
    )


def chosen_rules(answered: AnsweredQuestion, suggestions: Sequence[Any]) -> list[Any]:
    """The rule that the person chose, by its label: a call that is made again may list its rules in another order."""
    option = answered.question.option(answered.answer.option)
    return [rule for rule in suggestions if option is not None and _label(dict_of(rule)) == option.label][:1]


def _label(rule: Record) -> str:
    """`Always allow Bash(npm test *) in this folder`."""
    kind, place = rule.get("type"), _PLACES.get(text_or_empty(rule.get("destination")), "")
    if kind == "setMode":
        mode = text_or_empty(rule.get("mode"))
        return _MODES.get(mode, f"Switch to the mode {mode}")
    if kind == "addDirectories":
        return f"Always allow the folder {', '.join(map(str, list_of(rule.get('directories'))))}{place}"
    names = []
    for entry in map(dict_of, list_of(rule.get("rules"))):
        tool, content = text_or_empty(entry.get("toolName")), text_or_empty(entry.get("ruleContent"))
        names.append(f"{tool}({content})" if content else tool)
    return f"Always allow {', '.join(names) or json.dumps(rule)}{place}"
