""" "Did you mean": the nearest word to one that does not exist."""

from __future__ import annotations

from lionstudio.cli.registry import COMMANDS, GROUPS
from lionstudio.errors import InvalidInput
from lionstudio.files.formats.suggest import nearest


def unknown_command(name: str) -> InvalidInput:
    """The refusal of a command that does not exist, with the one that was probably meant."""
    if name.startswith("-"):
        return InvalidInput(f"li has no option {name}", hint="li --help")
    # of several with one verb, that about everything that is kept, else the first in the help
    ordered = sorted(COMMANDS, key=lambda command: not command.startswith("state "))
    verbs = {command.rpartition(" ")[2]: command for command in reversed(ordered)}
    # `li ls` is as near to `li state ls` as a misspelling is
    meant = verbs.get(name) or nearest(name, [*COMMANDS, *GROUPS]) or verbs.get(nearest(name, verbs) or "")
    return InvalidInput(f"there is no command `li {name}`", hint=f"li {meant}" if meant else "li --help")
