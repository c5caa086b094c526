"""Playbooks: YAML with a prompt template and its arguments. Rendering puts text for names and does nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.files.definitions.agents import EFFORTS, check_provider
from lionstudio.files.formats import field_rules
from lionstudio.files.formats.field_rules import Problem, Rule, any_of, check_fields, error, valid_fields, warning
from lionstudio.files.formats.strict_yaml import BadYaml, Path, load
from lionstudio.system.safe_read import BOM

MODES = ("agent", "flow", "fanout")
INPUT = "input"
MOST_COMPLAINTS = 20  # of one kind about one file; a thousand help nobody
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
    "timeout": field_rules.integer(1, 2_592_000, " of seconds"),
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
    """An argument of a playbook."""

    name: str
    type: str = "str"
    default: Any = None
    help: str | None = None
    required: bool = False


class Playbook(NamedTuple):
    """What a playbook says; `options` are its other known fields, `extra` those nobody knows."""

    name: str
    prompt: str
    description: str | None
    mode: str
    agents: tuple[str, ...]
    args: tuple[Arg, ...]
    options: Mapping[str, Any]
    extra: Mapping[str, Any]


def parse(name: str, text: str) -> tuple[Playbook, list[Problem]]:
    """The playbook of a text, with everything that is wrong with it; BadYaml when nothing can be read."""
    document = load(text.removeprefix(BOM))
    if not isinstance(document.value, dict):
        raise BadYaml(1, "a playbook must consist of keys and values", "start with `prompt: |`")
    # max-ops and max_ops are one field
    fields = {key.replace("-", "_"): value for key, value in document.value.items()}
    lines = {(str(path[0]).replace("-", "_"), *path[1:]): line for path, line in document.lines.items() if path}
    good = valid_fields(fields, RULES)
    args, found = _parse_args(good.pop("args", {}), lines)
    found = [*check_fields(fields, RULES, lines), *_check_meaning(name, fields, lines, args), *found]
    return _playbook(name, fields, good, args), found


def _playbook(name: str, fields: Mapping[str, Any], good: dict[str, Any], args: tuple[Arg, ...]) -> Playbook:
    several = good.pop("agents", None) or ([good["agent"]] if "agent" in good else [])
    good.pop("name", None)
    return Playbook(
        name=name,
        prompt=good.pop("prompt", ""),
        description=good.pop("description", None),
        mode=good.pop("mode", "flow" if "steps" in good else "fanout" if "workers" in good else "agent"),
        agents=tuple(several),
        args=args,
        options=good,
        extra={key: value for key, value in fields.items() if key not in RULES},
    )


def _check_meaning(
    name: str, fields: Mapping[str, Any], lines: Mapping[Path, int], args: tuple[Arg, ...]
) -> Iterator[Problem]:
    yield from check_provider(fields, lines)
    if not fields.get("prompt") and not fields.get("steps"):
        yield error(lines.get(("prompt",)), "there is no prompt", "write `prompt: |` and the text below it, indented")
    if isinstance(fields.get("name"), str) and fields["name"] != name:
        yield warning(
            lines.get(("name",)),
            f"it is called {fields['name']!r:.60} here and {name!r:.60} by its file",
            "the name of the file counts",
        )
    for key in [key for key in fields if key not in RULES][:MOST_COMPLAINTS]:
        yield warning(lines.get((key,)), f"the field {key!r:.60} is not known; it is kept and not used", _near(key))
    if isinstance(fields.get("prompt"), str):
        for slot in unknown_slots(fields["prompt"], args)[:MOST_COMPLAINTS]:
            yield warning(
                lines.get(("prompt",)),
                f"the prompt names {{{slot}}}, which is no argument; it stays as it is",
                f"add it to `args`, or use one of: {', '.join([INPUT, *(arg.name for arg in args)])}",
            )


def _near(key: str) -> str | None:
    from difflib import get_close_matches  # slow to load, and only needed after a mistake

    near = get_close_matches(key, RULES, n=1)
    return f"did you mean {near[0]}?" if near else None


def _parse_args(given: Mapping[str, Any], lines: Mapping[Path, int]) -> tuple[tuple[Arg, ...], list[Problem]]:
    args, found = [], []
    for name, spec in given.items():
        line = lines.get(("args", name))
        if not _NAME.match(name) or name == INPUT:
            found.append(error(line, f"{name!r:.60} cannot be the name of an argument", "use letters, digits and _"))
            continue
        if spec is not None and not isinstance(spec, dict):
            hint = f"write `{name}: {{type: str, default: {spec!r:.40}}}`"
            found.append(error(line, f"the argument {name} needs keys of its own", hint))
            continue
        found += check_fields(spec or {}, _ARG_RULES, lines, ("args", name))
        arg = Arg(name, **valid_fields(spec or {}, _ARG_RULES))
        found += _check_default(arg, lines.get(("args", name, "default"), line))
        args.append(arg)
    return tuple(args), found


def _check_default(arg: Arg, line: int | None) -> Iterator[Problem]:
    if arg.default is not None and not _is_a(arg.default, arg.type):
        yield error(
            line,
            f"the default of {arg.name} is {arg.default!r:.60}, which is no {arg.type}",
            "quote it if it is text, or change the type",
        )


def _is_a(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "bool" or not isinstance(value, bool))


def unknown_slots(prompt: str, args: tuple[Arg, ...]) -> list[str]:
    """The names in braces that stand for nothing, each once."""
    known = {INPUT, *(arg.name for arg in args)}
    return [slot for slot in dict.fromkeys(_SLOT.findall(prompt)) if slot not in known]


def bind(playbook: Playbook, given: Mapping[str, str]) -> dict[str, Any]:
    """Texts from a command line or a form as values of the arguments, defaults where nothing was given."""
    args = {arg.name: arg for arg in playbook.args}
    for name in given:
        if name not in args:
            raise InvalidInput(
                f"the playbook {playbook.name} has no argument {name!r:.60}",
                hint=f"it has: {', '.join(args) or 'none'}",
            )
    missing = [name for name, arg in args.items() if arg.required and name not in given and arg.default is None]
    if missing:
        raise InvalidInput(f"the playbook {playbook.name} needs {', '.join(missing)}", hint="give each a value")
    return {name: _value(arg, given[name]) if name in given else arg.default for name, arg in args.items()}


def _value(arg: Arg, text: str) -> Any:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    try:
        match arg.type:
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "bool":
                return words[text.lower()]
    except (ValueError, KeyError):
        raise InvalidInput(f"{arg.name} must be of type {arg.type}, not {text!r:.60}") from None
    return text


def render(playbook: Playbook, text: str, values: Mapping[str, Any]) -> str:
    """The prompt with names replaced once; what is unknown stays, and text without a slot comes at the end."""
    slots = {INPUT: text, **{name: _written(value) for name, value in values.items() if value is not None}}
    prompt = _SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), playbook.prompt)
    if text and INPUT not in _SLOT.findall(playbook.prompt):
        return f"{prompt.rstrip()}\n\n{text}" if prompt.strip() else text
    return prompt


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
