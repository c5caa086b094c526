"""What is wrong with an authored file, said so that its author can mend it; and the checks of single values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.files.formats.strict_yaml import BadYaml, Path
from lionstudio.system.filenames import shown


class Problem(NamedTuple):
    """One complaint: an error makes the file unusable, a warning does not."""

    severity: str  # error | warning
    line: int | None
    message: str
    hint: str | None = None


def error(line: int | None, message: str, hint: str | None = None) -> Problem:
    """Something that keeps the file from being used."""
    return Problem("error", line, message, hint)


def warning(line: int | None, message: str, hint: str | None = None) -> Problem:
    """Something that its author probably did not mean."""
    return Problem("warning", line, message, hint)


def to_problem(refused: LionError, path: str | None = None) -> Problem:
    """The refusal of a file as an entry; the entry has the path, so the sentence does without."""
    line = refused.line if isinstance(refused, BadYaml) else None
    return error(line, without_path(refused.message, path), refused.hint)


def without_path(message: str, path: str | None) -> str:
    """A sentence about a file that stands beside the file's path."""
    start = shown(path) if path is not None else ""
    return f"it{message.removeprefix(start)}" if start and message.startswith(f"{start} ") else message


Rule = Callable[[Any], str | None]  # what a value must be, None when it is that


def text(value: Any) -> str | None:
    """Text that is not empty."""
    return None if isinstance(value, str) and value.strip() else "must be text"


def boolean(value: Any) -> str | None:
    """true or false."""
    return None if isinstance(value, bool) else "must be true or false"


def text_list(value: Any) -> str | None:
    """A list of texts."""
    good = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return None if good else "must be a list of texts"


def mapping(value: Any) -> str | None:
    """Keys with values."""
    return None if isinstance(value, dict) else "must have keys of its own"


def sequence(value: Any) -> str | None:
    """A list."""
    return None if isinstance(value, list) else "must be a list"


def any_value(_: Any) -> str | None:
    """Whatever there is."""
    return None


def integer(lowest: int, highest: int, unit: str = "") -> Rule:
    """A whole number within bounds."""

    def rule(value: Any) -> str | None:
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest:
            return None
        return f"must be a whole number{unit} from {lowest} to {highest}"

    return rule


def one_of(*words: str) -> Rule:
    """One of some words."""
    return lambda value: None if isinstance(value, str) and value in words else f"must be one of: {', '.join(words)}"


def any_of(*rules: Rule) -> Rule:
    """What one of the rules allows."""

    def rule(value: Any) -> str | None:
        complaints = [complaint for each in rules if (complaint := each(value)) is not None]
        return None if len(complaints) < len(rules) else " or ".join(complaints)

    return rule


def model(value: Any) -> str | None:
    """`model` or `provider/model`."""
    whole = isinstance(value, str) and value.isprintable() and " " not in value and all(value.split("/"))
    return None if whole else "must be a model such as sonnet, or provider/model such as claude-code/sonnet"


def check_fields(
    given: Mapping[str, Any], rules: Mapping[str, Rule], lines: Mapping[Path, int], above: Path = ()
) -> Iterator[Problem]:
    """A complaint for every value that its rule refuses; a key without a value counts as left out."""
    for key, value in given.items():
        complaint = None if value is None or key not in rules else rules[key](value)
        if complaint is not None:
            yield error(lines.get((*above, key)), f"{key} {complaint}, not {value!r:.60}", "correct it or remove it")


def valid_fields(given: Mapping[str, Any], rules: Mapping[str, Rule]) -> dict[str, Any]:
    """The values that their rules allow."""
    return {
        key: value for key, value in given.items() if key in rules and value is not None and rules[key](value) is None
    }
