"""Agent definitions: Markdown with settings in the front matter and the system prompt below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.files.formats import field_rules
from lionstudio.files.formats.field_rules import (
    Problem,
    Rule,
    any_of,
    check_fields,
    error,
    texts_as_written,
    valid_fields,
    warning,
)
from lionstudio.files.formats.frontmatter import split
from lionstudio.files.formats.strict_yaml import Path
from lionstudio.model.providers import PERMISSIONS, PROVIDER_NAMES, find_provider

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_DAY = 86_400

RULES: Mapping[str, Rule] = {
    "name": field_rules.text,
    "description": field_rules.text,
    "model": field_rules.model,
    "effort": field_rules.one_of(*EFFORTS),
    "yolo": field_rules.boolean,
    "bypass": field_rules.boolean,
    "fast_mode": field_rules.boolean,
    "lion_system": field_rules.boolean,
    "khive_injection": field_rules.boolean,
    "artifact_defaults": field_rules.mapping,
    "timeout": field_rules.integer(1, 30 * _DAY, " (seconds)"),
    "idle_timeout": field_rules.integer(1, 30 * _DAY, " (seconds)"),
    "resume_on_timeout": field_rules.one_of("once"),
    "workload": field_rules.one_of("light", "heavy"),
    "contain_account_integrations": field_rules.boolean,
    "account_connectors": field_rules.text_list,
    "contain_user_settings": field_rules.boolean,
    "tools": any_of(field_rules.text, field_rules.text_list),
    "pass_env": field_rules.variable_names,
    "sandbox": field_rules.sandbox,
}
_OPTIONS = ("command", "args", "base_url", "url")  # of single providers, which check them
_OLD_NAMES = {"reasoning_effort": "effort"}


class Agent(NamedTuple):
    """The settings of an agent; None where the settings or the program decide."""

    name: str
    prompt: str
    description: str | None = None
    model: str | None = None
    effort: str | None = None
    yolo: bool | None = None
    bypass: bool | None = None
    fast_mode: bool | None = None
    lion_system: bool = True
    khive_injection: bool | None = None
    artifact_defaults: Mapping[str, Any] | None = None
    timeout: int | None = None
    idle_timeout: int | None = None
    resume_on_timeout: str | None = None
    workload: str | None = None
    contain_account_integrations: bool | None = None
    account_connectors: tuple[str, ...] = ()
    contain_user_settings: bool | None = None
    provider: str | None = None
    permissions: str | None = None  # ask | edit | all
    tools: tuple[str, ...] | None = None  # the only tools it may use
    pass_env: tuple[str, ...] = ()  # more environment variables that it gets
    sandbox: str | None = None  # auto | require | off
    options: Mapping[str, Any] = {}  # of its provider
    extra: Mapping[str, Any] = {}


def parse(name: str, text: str) -> tuple[Agent, list[Problem]]:
    """Parse an agent file and list its problems; BadYaml when the front matter cannot be read."""
    front = split(text)
    fields, problems = _rename_fields(texts_as_written(front.fields, RULES, front.texts), front.lines)
    problems += check_fields(fields, RULES, front.lines)
    problems += _check_values(fields, front.lines, front.body)
    valid = valid_fields(fields, RULES)
    settings = {key: value for key, value in valid.items() if key in Agent._fields and key != "name"}
    settings |= {key: words(valid[key]) for key in ("account_connectors", "tools", "pass_env") if key in valid}
    if fields.get("permissions") in PERMISSIONS:
        settings["permissions"] = fields["permissions"]
    if isinstance(fields.get("provider"), str):
        settings["provider"] = fields["provider"]
    settings["options"] = {key: fields[key] for key in _OPTIONS if key in fields}
    known = {*settings, *RULES, *_OLD_NAMES, *_OPTIONS}
    extra = {key: value for key, value in fields.items() if key not in known}
    return Agent(name=name, prompt=front.body, **settings, extra=extra), problems


_WORD = re.compile(r"[^\s,(]+(?:\([^)]*\))?")


def words(value: str | list[str]) -> tuple[str, ...]:
    """A list of names; a text has them separated by commas or spaces. `Bash(git *)` is one name."""
    return tuple(_WORD.findall(value) if isinstance(value, str) else value)


def provider_of(model: str) -> str | None:
    """Return the normalized provider of `provider/model`; None for a plain model."""
    provider, slash, _ = model.partition("/")
    return provider.lower().replace("-", "_") if slash else None


def check_provider(fields: Mapping[str, Any], lines: Mapping[Path, int]) -> Iterator[Problem]:
    """Warn about an unknown provider of the model."""
    model = fields.get("model")
    provider = provider_of(model) if isinstance(model, str) else None
    if provider is not None and provider not in PROVIDER_NAMES:
        yield _unknown_provider(provider, lines.get(("model",)))


def _unknown_provider(name: str, line: int | None) -> Problem:
    return warning(line, f"unknown provider {name!r:.60}", f"known: {', '.join(sorted(PROVIDER_NAMES))}")


def _names_provider(model: str) -> bool:
    return "/" in model or model.lower().replace("-", "_") in PROVIDER_NAMES


def _rename_fields(fields: Mapping[str, Any], lines: Mapping[Path, int]) -> tuple[dict[str, Any], list[Problem]]:
    renamed, problems = dict(fields), []
    for old, new in _OLD_NAMES.items():
        if old in renamed:
            problems.append(warning(lines.get((old,)), f"{old} is the old name of {new}", f"rename it to {new}"))
            renamed.setdefault(new, renamed[old])
    return renamed, problems


def _check_values(fields: Mapping[str, Any], lines: Mapping[Path, int], body: str) -> Iterator[Problem]:
    yield from check_provider(fields, lines)
    provider = fields.get("provider")
    if provider is not None and not (isinstance(provider, str) and find_provider(provider)):
        yield _unknown_provider(str(provider), lines.get(("provider",)))
    defaults = fields.get("artifact_defaults")
    if isinstance(defaults, dict) and not isinstance(defaults.get("expected", []), list):
        line = lines.get(("artifact_defaults", "expected"))
        yield error(line, "artifact_defaults.expected must be a list", "write one artifact per line, each after a dash")
    model = fields.get("model")
    if provider is None and not (isinstance(model, str) and _names_provider(model)):
        yield warning(
            lines.get(("model",)), "no provider is named", "set `model: claude/sonnet`, or add `provider: claude`"
        )
    if fields.get("permissions") not in (None, *PERMISSIONS):
        line = lines.get(("permissions",))
        yield warning(line, "permissions is not ask, edit or all; it is not used", "set one of: ask, edit, all")
    if not body:
        yield warning(None, "the system prompt is empty", "write it below the front matter")
