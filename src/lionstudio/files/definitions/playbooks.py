"""Playbooks: YAML with a prompt template and its arguments. Rendering only replaces names by text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from lionstudio.errors import InvalidInput
from lionstudio.files.definitions.agents import EFFORTS, check_provider
from lionstudio.files.definitions.artifacts import Artifact, check_artifacts, parse_artifacts
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
from lionstudio.files.formats.strict_yaml import BadYaml, Path, as_written, load
from lionstudio.files.formats.suggest import did_you_mean
from lionstudio.model.providers import PERMISSIONS
from lionstudio.system.safe_read import BOM

T = TypeVar("T")
MODES = ("agent", "flow", "fanout")
INPUT = "input"
MOST_COMPLAINTS = 20  # problems of one kind per file; a thousand would not help
_SLOT = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")

RULES: Mapping[str, Rule] = {
    "name": field_rules.text,
    "description": field_rules.text,
    "argument_hint": field_rules.text,
    "prompt": field_rules.text,
    "mode": field_rules.one_of(*MODES),
    "model": field_rules.model,
    "agent": field_rules.text,
    "agents": field_rules.text_list,
    "effort": field_rules.one_of(*EFFORTS),
    "timeout": field_rules.integer(1, 2_592_000, " (seconds)"),
    "workers": field_rules.integer(1, 32),
    "max_ops": field_rules.integer(0, 50),
    "max_agents": field_rules.integer(0, 50),
    "with_synthesis": any_of(field_rules.boolean, field_rules.model),
    "team_mode": any_of(field_rules.boolean, field_rules.text),
    "team_attach": field_rules.text,
    "bare": field_rules.boolean,
    "dry_run": field_rules.boolean,
    "show_graph": field_rules.boolean,
    "save": any_of(field_rules.boolean, field_rules.text),
    "args": field_rules.mapping,
    "artifacts": field_rules.mapping,
    "pack": field_rules.text,
    "reactive": field_rules.boolean,
    "bypass": field_rules.boolean,
    "yolo": field_rules.boolean,
    "permission_mode": field_rules.text,
    "permissions": field_rules.one_of(*PERMISSIONS),
    "pass_env": field_rules.variable_names,
    "sandbox": field_rules.sandbox,
    "use": field_rules.mapping,
    "steps": any_of(field_rules.mapping, field_rules.sequence),
    "links": field_rules.sequence,
}
_TYPES: Mapping[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "float": (int, float), "bool": (bool,)}
_ARG_RULES: Mapping[str, Rule] = {
    "type": field_rules.one_of(*_TYPES),
    "default": field_rules.any_value,
    "help": field_rules.text,
    "required": field_rules.boolean,
}


class Arg(NamedTuple):
    name: str
    type: str = "str"
    default: Any = None
    help: str | None = None
    required: bool = False


class Playbook(NamedTuple):
    """A parsed playbook; `options` are its other known fields, `extra` the unknown ones."""

    name: str
    prompt: str
    description: str | None
    mode: str
    agents: tuple[str, ...]
    args: tuple[Arg, ...]
    options: Mapping[str, Any]
    extra: Mapping[str, Any]
    artifacts: tuple[Artifact, ...] = ()


def parse(name: str, text: str) -> tuple[Playbook, list[Problem]]:
    """Parse a playbook and list its problems; BadYaml when the YAML cannot be read."""
    document = load(text.removeprefix(BOM))
    if not isinstance(document.value, dict):
        raise BadYaml(1, "a playbook must be a mapping of keys to values", "start with `prompt: |`")
    # max-ops and max_ops are one field
    lines, texts = _with_underscores(document.lines), _with_underscores(document.texts)
    fields = {key.replace("-", "_"): value for key, value in document.value.items()}
    fields = texts_as_written(fields, RULES, texts)
    valid = valid_fields(fields, RULES)
    args, problems = _parse_args(valid.pop("args", {}), lines, texts)
    problems = [*check_fields(fields, RULES, lines), *_check_values(name, fields, lines, args), *problems]
    agents = valid.pop("agents", None) or ([valid["agent"]] if "agent" in valid else [])
    valid.pop("name", None)
    playbook = Playbook(
        name=name,
        prompt=valid.pop("prompt", ""),
        description=valid.pop("description", None),
        mode=valid.pop("mode", "flow" if "steps" in valid else "fanout" if "workers" in valid else "agent"),
        agents=tuple(agents),
        args=args,
        artifacts=parse_artifacts(valid.pop("artifacts", None)),
        options=valid,
        extra={key: value for key, value in fields.items() if key not in RULES},
    )
    return playbook, problems


def _with_underscores(facts: Mapping[Path, T]) -> dict[Path, T]:
    return {(str(path[0]).replace("-", "_"), *path[1:]): fact for path, fact in facts.items() if path}


def _check_values(
    name: str, fields: Mapping[str, Any], lines: Mapping[Path, int], args: tuple[Arg, ...]
) -> Iterator[Problem]:
    yield from check_provider(fields, lines)
    if not fields.get("prompt") and not fields.get("steps"):
        yield error(
            lines.get(("prompt",)), "the prompt is missing", "write `prompt: |` and the text below it, indented"
        )
    if isinstance(fields.get("name"), str) and fields["name"] != name:
        yield warning(
            lines.get(("name",)),
            f"the name {fields['name']!r:.60} is ignored: the file is called {name!r:.60}",
            "remove `name`, or rename the file",
        )
    yield from check_artifacts(fields.get("artifacts"), lines)
    for key in [key for key in fields if key not in RULES][:MOST_COMPLAINTS]:
        yield warning(lines.get((key,)), f"unknown field {key!r:.60}; it is kept but not used", _suggest(key))
    if isinstance(fields.get("prompt"), str):
        for slot in unknown_slots(fields["prompt"], args)[:MOST_COMPLAINTS]:
            yield warning(
                lines.get(("prompt",)),
                f"{{{slot}}} in the prompt is not an argument; it stays as it is",
                f"add it to `args`, or use one of: {', '.join([INPUT, *(arg.name for arg in args)])}",
            )


def _suggest(key: str) -> str | None:
    return did_you_mean(key, RULES, "") or None


def _parse_args(
    specs: Mapping[str, Any], lines: Mapping[Path, int], texts: Mapping[Path, str]
) -> tuple[tuple[Arg, ...], list[Problem]]:
    args, problems = [], []
    for name, spec in specs.items():
        line = lines.get(("args", name))
        if not _NAME.match(name) or name == INPUT:
            problems.append(error(line, f"{name!r:.60} is not a valid argument name", "use letters, digits and _"))
            continue
        if spec is not None and not isinstance(spec, dict):
            hint = f"write `{name}: {{type: str, default: {spec!r:.40}}}`"
            problems.append(error(line, f"the argument {name} must be a mapping", hint))
            continue
        problems += check_fields(spec or {}, _ARG_RULES, lines, ("args", name))
        arg = Arg(name, **valid_fields(spec or {}, _ARG_RULES))
        if arg.type == "str":
            arg = arg._replace(default=as_written(arg.default, texts, ("args", name, "default")))
        problems += _check_default(arg, lines.get(("args", name, "default"), line))
        args.append(arg)
    return tuple(args), problems


def _check_default(arg: Arg, line: int | None) -> Iterator[Problem]:
    if arg.default is not None and not _has_type(arg.default, arg.type):
        yield error(
            line,
            f"the default of {arg.name} must be of type {arg.type}, not {arg.default!r:.60}",
            "quote it if it is text, or change the type",
        )


def _has_type(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "bool" or not isinstance(value, bool))


def unknown_slots(prompt: str, args: tuple[Arg, ...]) -> list[str]:
    """List the names in braces that are not arguments, each once."""
    names = {INPUT, *(arg.name for arg in args)}
    return [slot for slot in dict.fromkeys(_SLOT.findall(prompt)) if slot not in names]


def bind(playbook: Playbook, texts: Mapping[str, str]) -> dict[str, Any]:
    """Convert texts from a command line or a form to argument values; missing ones get their default."""
    args = {arg.name: arg for arg in playbook.args}
    for name in texts:
        if name not in args:
            raise InvalidInput(
                f"unknown argument {name!r:.60} of playbook {playbook.name}",
                hint=f"its arguments: {', '.join(args) or 'none'}",
            )
    missing = [name for name, arg in args.items() if arg.required and name not in texts and arg.default is None]
    if missing:
        options = " ".join(f"--arg {name}=…" for name in missing)
        raise InvalidInput(f"missing argument of playbook {playbook.name}: {', '.join(missing)}", hint=f"add {options}")
    return {name: _value(arg, texts[name]) if name in texts else arg.default for name, arg in args.items()}


def _value(arg: Arg, text: str) -> Any:
    booleans = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    try:
        match arg.type:
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "bool":
                return booleans[text.lower()]
    except (ValueError, KeyError):
        raise InvalidInput(f"{arg.name} must be of type {arg.type}, not {text!r:.60}") from None
    return text


def render(playbook: Playbook, text: str, values: Mapping[str, Any]) -> str:
    """Replace the names in the prompt once; unknown names stay, and text without {input} goes to the end."""
    slots = {INPUT: text, **{name: _to_text(value) for name, value in values.items() if value is not None}}
    prompt = _SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), playbook.prompt)
    if text and INPUT not in _SLOT.findall(playbook.prompt):
        return f"{prompt.rstrip()}\n\n{text}" if prompt.strip() else text
    return prompt


def _to_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
