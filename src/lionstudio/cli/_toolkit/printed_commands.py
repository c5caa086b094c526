"""Commands in our messages work as printed: they get the --home and --db of the command that prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lionstudio.cli.registry import COMMANDS, GROUPS
from lionstudio.settings import is_url, without_password

_LOCATIONS = ("--home", "--db")
_ELSEWHERE = {"demo", "completion", "version", "openapi"}  # the demo makes a home of its own, the others need none
_FIRST_WORDS = "|".join(sorted({*GROUPS, *(name.partition(" ")[0] for name in COMMANDS)} - _ELSEWHERE, reverse=True))
_PRINTED = rf"(?<![\w/.-])li (?=(?:{_FIRST_WORDS})\b)(?![^`\n]* (?:{'|'.join(_LOCATIONS)})\b)"
_given: list[str] = []


def remember_location(arguments: Sequence[str]) -> None:
    """Keep the --home and --db of a command line for the commands that it prints."""
    _given.clear()
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for number, argument in enumerate(options):
        option, equals, value = argument.partition("=")
        if option in _LOCATIONS and (equals or number + 1 < len(options)):
            location = value if equals else options[number + 1]
            _given.extend((option, without_password(location) if is_url(location) else location))


def located(text: str) -> str:
    """Add the location to every command in a text, unless it has one: `li --home DIR state ls`."""
    if not _given:
        return text
    from shlex import join

    return re.sub(_PRINTED, lambda _: f"li {join(_given)} ", text)
