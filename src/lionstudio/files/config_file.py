"""Edit config.toml: set or remove one setting and keep everything else as it is, comments included."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.filelock import locked

# a value on one line: a basic or literal string, a number or a boolean
_VALUE = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s#"'\[{]+)"""


def write_setting(path: str, name: str, value: str | int | bool | None) -> bool:
    """Set a setting, or remove it (None); False if the file had it like this already."""
    path = os.path.realpath(path)  # a file that is kept elsewhere stays there
    make_folder(os.path.dirname(path))
    with locked(f"{path}.lock"):
        before = _read(path)
        after = edited(before, name, value)
        if after == before:
            return False
        write_text(path, after)
        return True


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}", hint="correct it or move it away") from None


def edited(text: str, name: str, value: str | int | bool | None) -> str:
    """The text with one setting changed; raises InvalidInput where only a person can do that."""
    line = re.compile(rf"(?m)^([ \t]*(?:{name}|\"{name}\"|'{name}')[ \t]*=[ \t]*){_VALUE}([ \t]*(?:#[^\n]*?)?\r?)$\n?")
    match = line.search(text)
    if match is None:
        after = text if value is None else _with_line(text, f"{name} = {_toml(value)}")
    else:
        end = "\n" if match[0].endswith("\n") else ""
        changed = "" if value is None else f"{match[1]}{_toml(value)}{match[2]}{end}"
        after = text[: match.start()] + changed + text[match.end() :]
    _check(text, after, name, value)
    return after


def _with_line(text: str, line: str) -> str:
    """The text with a line at the end of the settings: below the first table it would belong to that."""
    table = re.search(r"(?m)^[ \t]*\[", text)
    head, tail = (text, "") if table is None else (text[: table.start()], text[table.start() :])
    return f"{head}{'' if head.endswith(chr(10)) or not head else chr(10)}{line}\n{tail}"


def _toml(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    escaped = (special.get(char) or (char if char.isprintable() else f"\\U{ord(char):08x}") for char in value)
    return f'"{"".join(escaped)}"'


def _check(before: str, after: str, name: str, value: Any) -> None:
    """The edit changes this setting and nothing else; anything that is read differently is refused."""
    try:
        expected = {key: each for key, each in tomllib.loads(before).items() if key != name}
        if value is not None:
            expected[name] = value
        if tomllib.loads(after) == expected:
            return
    except ValueError as error:
        raise InvalidInput(f"config.toml is not valid: {error}", hint="correct it or move it away") from None
    raise InvalidInput(f"{name} is written in a way that only a person can edit", hint="edit config.toml by hand")
