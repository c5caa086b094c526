"""Suggest the closest valid name for one that does not exist."""

from __future__ import annotations

from lionstudio.cli.registry import COMMANDS, GROUPS
from lionstudio.errors import InvalidInput
from lionstudio.files.formats.suggest import nearest

# a typo is not answered with a command that deletes or stops something
_DESTRUCTIVE = ("prune", "rm", "vacuum", "clean", "abort", "kill", "unset")


def unknown_command(name: str) -> InvalidInput:
    if name.startswith("-"):
        return InvalidInput(f"unknown option {name}", hint="li --help")
    group, _, verb = name.partition(" ")
    command = _nearest_verb(group, verb) if group in GROUPS else _nearest_command(name)
    if command is None or command.rpartition(" ")[2] in _DESTRUCTIVE:
        command = f"{group} --help" if group in GROUPS else "--help"
    return InvalidInput(f"unknown command `li {name}`", hint=f"li {command}")


def _nearest_verb(group: str, verb: str) -> str | None:
    verbs = [command.partition(" ")[2] for command in COMMANDS if command.startswith(f"{group} ")]
    match = nearest(verb, verbs)
    return match and f"{group} {match}"


def _nearest_command(name: str) -> str | None:
    # for a verb that several groups have, suggest `li state`, else the first in the help
    ordered = sorted(COMMANDS, key=lambda command: not command.startswith("state "))
    verbs = {command.rpartition(" ")[2]: command for command in reversed(ordered)}
    # `li ls` is as close to `li state ls` as a misspelling
    return verbs.get(name) or nearest(name, [*COMMANDS, *GROUPS]) or verbs.get(nearest(name, verbs) or "")
