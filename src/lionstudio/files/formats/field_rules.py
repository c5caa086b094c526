"""Problems of authored files, and the rules that check single fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.files.formats.strict_yaml import BadYaml, Path, as_written
from lionstudio.settings import SANDBOX_MODES
from lionstudio.system.filenames import shown


class Problem(NamedTuple):
    """An error makes the file unusable, a warning does not."""

    severity: str  # error | warning
    line: int | None
    message: str
    hint: str | None = None


def error(line: int | None, message: str, hint: str | None = None) -> Problem:
    return Problem("error", line, message, hint)


def warning(line: int | None, message: str, hint: str | None = None) -> Problem:
    return Problem("warning", line, message, hint)


def to_problem(refusal: LionError, path: str | None = None) -> Problem:
    """Turn the error of a file into a problem, without the path, which the entry already shows."""
    line = refusal.line if isinstance(refusal, BadYaml) else None
    return error(line, without_path(refusal.message, path), refusal.hint)


def without_path(message: str, path: str | None) -> str:
    """Remove the path from the start of a message that is shown beside it."""
    start = shown(path) if path is not None else ""
    return f"it{message.removeprefix(start)}" if start and message.startswith(f"{start} ") else message


Rule = Callable[[Any], str | None]  # returns the requirement that a value breaks, None when it is valid


def text(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else "must be text"


def boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def text_list(value: Any) -> str | None:
    good = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return None if good else "must be a list of strings"


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def variable_names(value: Any) -> str | None:
    names = value.replace(",", " ").split() if isinstance(value, str) else value
    good = isinstance(names, list) and all(isinstance(name, str) and _VARIABLE.match(name) for name in names)
    return None if good else "must be a list of names of environment variables"


def mapping(value: Any) -> str | None:
    return None if isinstance(value, dict) else "must be a mapping of keys to values"


def sequence(value: Any) -> str | None:
    return None if isinstance(value, list) else "must be a list"


def any_value(_: Any) -> str | None:
    return None


def integer(lowest: int, highest: int, unit: str = "") -> Rule:
    def rule(value: Any) -> str | None:
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest:
            return None
        return f"must be an integer from {lowest} to {highest}{unit}"

    return rule


def one_of(*values: str) -> Rule:
    return lambda value: None if isinstance(value, str) and value in values else f"must be one of: {', '.join(values)}"


sandbox = one_of(*SANDBOX_MODES)


def any_of(*rules: Rule) -> Rule:
    def check(value: Any) -> str | None:
        faults = [fault for rule in rules if (fault := rule(value)) is not None]
        return None if len(faults) < len(rules) else " or ".join(faults)

    return check


def model(value: Any) -> str | None:
    good = isinstance(value, str) and value.isprintable() and " " not in value and all(value.split("/"))
    return None if good else "must be a model such as sonnet, or provider/model such as claude-code/sonnet"


_TEXT_RULES = (text, text_list, model, sandbox)


def texts_as_written(
    fields: Mapping[str, Any], rules: Mapping[str, Rule], texts: Mapping[Path, str], above: Path = ()
) -> dict[str, Any]:
    """Return the fields with `no`, `off` and `0123` as the text they are, where only text is valid."""
    return {
        key: as_written(value, texts, (*above, key)) if rules.get(key) in _TEXT_RULES else value
        for key, value in fields.items()
    }


def check_fields(
    fields: Mapping[str, Any], rules: Mapping[str, Rule], lines: Mapping[Path, int], above: Path = ()
) -> Iterator[Problem]:
    """Report every value that its rule refuses; a key without a value counts as missing."""
    for key, value in fields.items():
        fault = None if value is None or key not in rules else rules[key](value)
        if fault is not None:
            yield error(lines.get((*above, key)), f"{key} {fault}, not {value!r:.60}", "correct or remove it")


def valid_fields(fields: Mapping[str, Any], rules: Mapping[str, Rule]) -> dict[str, Any]:
    return {
        key: value for key, value in fields.items() if key in rules and value is not None and rules[key](value) is None
    }
