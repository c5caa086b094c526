"""Suggest the closest valid name for one that does not exist."""

from __future__ import annotations

from lionstudio.cli.registry import COMMANDS, GROUPS
from lionstudio.errors import InvalidInput
from lionstudio.files.formats.suggest import nearest


def unknown_command(name: str) -> InvalidInput:
    if name.startswith("-"):
        return InvalidInput(f"unknown option {name}", hint="li --help")
    # for a verb that several groups have, suggest `li state`, else the first in the help
    ordered = sorted(COMMANDS, key=lambda command: not command.startswith("state "))
    verbs = {command.rpartition(" ")[2]: command for command in reversed(ordered)}
    # `li ls` is as close to `li state ls` as a misspelling
    command = verbs.get(name) or nearest(name, [*COMMANDS, *GROUPS]) or verbs.get(nearest(name, verbs) or "")
    return InvalidInput(f"unknown command `li {name}`", hint=f"li {command}" if command else "li --help")
