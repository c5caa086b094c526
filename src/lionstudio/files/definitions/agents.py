"""Agents: Markdown with a head that says how to run them; the text below is the system prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.files.formats import field_rules
from lionstudio.files.formats.field_rules import Problem, Rule, check_fields, either, error, usable, warning
from lionstudio.files.formats.frontmatter import split
from lionstudio.files.formats.strict_yaml import Path
from lionstudio.model.providers import PROVIDER_NAMES

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_A_DAY = 86_400

RULES: Mapping[str, Rule] = {
    "name": field_rules.text,
    "description": field_rules.text,
    "model": field_rules.model,
    "effort": field_rules.one_of(*EFFORTS),
    "yolo": field_rules.flag,
    "bypass": field_rules.flag,
    "fast_mode": field_rules.flag,
    "lion_system": field_rules.flag,
    "khive_injection": field_rules.flag,
    "artifact_defaults": field_rules.mapping,
    "timeout": field_rules.whole(1, 30 * _A_DAY, " of seconds"),
    "idle_timeout": field_rules.whole(1, 30 * _A_DAY, " of seconds"),
    "resume_on_timeout": field_rules.one_of("once"),
    "workload": field_rules.one_of("light", "heavy"),
    "contain_account_integrations": field_rules.flag,
    "account_connectors": field_rules.texts,
    "contain_user_settings": field_rules.flag,
    "tools": either(field_rules.text, field_rules.texts),
}
_OLD_NAMES = {"reasoning_effort": "effort"}


class Agent(NamedTuple):
    """How to run an agent; None where its file leaves it to the settings or to the program."""

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
    extra: Mapping[str, Any] = {}


def parse(name: str, text: str) -> tuple[Agent, list[Problem]]:
    """The agent of a text, with everything that is wrong with it; BadYaml when nothing can be read."""
    head = split(text)
    fields, found = _renamed(head.fields, head.lines)
    found += check_fields(fields, RULES, head.lines)
    found += _check_meaning(fields, head.lines, head.body)
    good = usable(fields, RULES)
    known = {key: value for key, value in good.items() if key in Agent._fields and key != "name"}
    if "account_connectors" in known:
        known["account_connectors"] = tuple(known["account_connectors"])
    extra = {key: value for key, value in fields.items() if key not in Agent._fields and key not in _OLD_NAMES}
    return Agent(name=name, prompt=head.body, **known, extra=extra), found


def provider_of(model: str) -> str | None:
    """The provider that a model names, spelled in one way; None when it names none."""
    provider, slash, _ = model.partition("/")
    return provider.lower().replace("-", "_") if slash else None


def check_provider(fields: Mapping[str, Any], lines: Mapping[Path, int]) -> Iterator[Problem]:
    """A warning for a provider nobody has heard of."""
    given = fields.get("model")
    provider = provider_of(given) if isinstance(given, str) else None
    if provider is not None and provider not in PROVIDER_NAMES:
        yield warning(
            lines.get(("model",)),
            f"the provider {provider!r:.60} is not known",
            f"known: {', '.join(sorted(PROVIDER_NAMES))}",
        )


def _names_provider(model: str) -> bool:
    return "/" in model or model.lower().replace("-", "_") in PROVIDER_NAMES


def _renamed(fields: Mapping[str, Any], lines: Mapping[Path, int]) -> tuple[dict[str, Any], list[Problem]]:
    given, found = dict(fields), []
    for old, new in _OLD_NAMES.items():
        if old in given:
            found.append(warning(lines.get((old,)), f"{old} is the old name of {new}", f"call it {new}"))
            given.setdefault(new, given[old])
    return given, found


def _check_meaning(fields: Mapping[str, Any], lines: Mapping[Path, int], body: str) -> Iterator[Problem]:
    yield from check_provider(fields, lines)
    defaults = fields.get("artifact_defaults")
    if isinstance(defaults, dict) and not isinstance(defaults.get("expected", []), list):
        line = lines.get(("artifact_defaults", "expected"))
        yield error(line, "artifact_defaults.expected must be a list", "write one artifact a line, each after a dash")
    model = fields.get("model")
    if fields.get("provider") is None and not (isinstance(model, str) and _names_provider(model)):
        yield warning(
            lines.get(("model",)),
            "it does not say which provider runs it",
            "write `model: claude/sonnet`, or add `provider: claude`",
        )
    if not body:
        yield warning(None, "there is no system prompt", "write it below the head")
