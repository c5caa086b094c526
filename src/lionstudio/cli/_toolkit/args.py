"""The parser of one command, built when that command is called: its options, those of all commands, its examples."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from lionstudio.cli._toolkit.terminal import width_of
from lionstudio.cli.registry import COMMANDS, GLOBAL_OPTIONS, MODULES
from lionstudio.errors import InvalidInput

_WIDEST_HELP = 100  # longer lines are hard to read
_EXAMPLES = "examples:"
_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_AGE = re.compile(r"([0-9]{1,9})(s|m|min|h|d|w)")

if TYPE_CHECKING:
    from typing import Protocol

    class CommandModule(Protocol):
        """What the module of a command has."""

        EXAMPLES: tuple[tuple[str, str], ...]

        def register(self, parser: argparse.ArgumentParser) -> None:
            """Add the options of the command."""

        def run(self, args: argparse.Namespace) -> int:
            """Do it; the exit code."""


def load(name: str) -> CommandModule:
    """The module of a command; `agents ls` and `skills ls` share one, bound to its kind of definition."""
    module: Any = import_module(f"lionstudio.cli.{MODULES[name]}")
    if MODULES[name].startswith("definitions."):
        from lionstudio.cli.definitions._kinds import BoundCommand

        return BoundCommand(name.partition(" ")[0], module)
    return module  # type: ignore[no-any-return]


def parse(name: str, given: Sequence[str]) -> argparse.Namespace:
    """The options that were given, or a refusal that says what was probably meant."""
    parser = parser_of(name)
    rest: list[str] = []
    if getattr(load(name), "TAKES_REST", False) and "--" in given:
        given, rest = given[: list(given).index("--")], list(given[list(given).index("--") + 1 :])
    # the mixed kind takes longer, and only words that may be missing or many can be parted by options
    mixed = "--" not in given and any(
        action.nargs in ("+", "?") and not action.option_strings for action in parser._actions
    )
    args, unknown = parser.parse_known_intermixed_args(given) if mixed else parser.parse_known_args(given)
    if unknown:
        raise _unknown(parser, unknown[0])
    args.rest = rest
    return args


def parser_of(name: str) -> Parser:
    """The parser of a command, whole."""
    command = load(name)
    parser = Parser(
        prog=f"li {name}",
        description=_sentence(getattr(command, "DESCRIPTION", COMMANDS[name])),
        epilog=_examples(command.EXAMPLES),
        formatter_class=_Help,
        # a script that abbreviates breaks when an option is added
        allow_abbrev=False,
    )
    command.register(parser)
    _add_global_options(parser)
    return parser


def _add_global_options(parser: argparse.ArgumentParser) -> None:
    known = {string for action in parser._actions for string in action.option_strings}
    group = parser.add_argument_group("options of every command")
    for option, value, meaning in GLOBAL_OPTIONS:
        if option in known:
            continue
        # `-q` is short for something else where a command has a query
        names = ["-q", option] if option == "--quiet" and "-q" not in known else [option]
        if value:
            group.add_argument(*names, metavar=value, help=meaning)
        else:
            group.add_argument(*names, action="store_true", help=meaning)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else text[0].upper() + text[1:] + "."


def _examples(examples: Sequence[tuple[str, str]]) -> str:
    return "\n".join([_EXAMPLES, *(f"  {command}\n      {meaning}" for command, meaning in examples)])


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        # a formatter is made for every option; left to itself it loads shutil to learn the width
        super().__init__(prog, max_help_position=26, width=min(width_of(sys.stdout), _WIDEST_HELP))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith(_EXAMPLES):
            return super()._fill_text(text, width, indent)
        fill = argparse.HelpFormatter._fill_text
        return "\n\n".join(fill(self, paragraph, width, indent) for paragraph in text.split("\n\n"))


class Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are our own errors, with the nearest word that exists."""

    def error(self, message: str) -> NoReturn:
        """Refuse in our own shape."""
        raise InvalidInput(f"{_short(self)}: {message}", hint=f"{self.prog} --help")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        from lionstudio.cli._toolkit.suggest import nearest

        words = [str(choice) for choice in action.choices]
        meant = nearest(str(value), words)
        what = "/".join(action.option_strings) or action.metavar or action.dest
        raise InvalidInput(
            f"{_short(self)}: {what} cannot be {str(value)!r:.60}", hint=meant or f"one of: {', '.join(words)}"
        )


def _short(parser: Parser) -> str:
    # every message begins with "li:" already
    return parser.prog.removeprefix("li ")


def _unknown(parser: Parser, given: str) -> InvalidInput:
    if not given.startswith("-") or given == "--":
        return InvalidInput(f"{_short(parser)}: {given!r:.60} is one argument too many", hint=f"{parser.prog} --help")
    from lionstudio.cli._toolkit.suggest import nearest

    option = given.partition("=")[0]
    options = [string for action in parser._actions for string in action.option_strings]
    meant = nearest(option, options)
    return InvalidInput(f"{_short(parser)} has no option {option[:60]}", hint=meant or f"{parser.prog} --help")


def words(text: str) -> str:
    """The type of an option that is looked up in stored text: bytes that are no UTF-8 are spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()


def integer(lowest: int = 0, highest: int = 10**9) -> Callable[[str], int]:
    """The type of an option that counts something."""

    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not lowest <= int(text[:20]) <= highest:
            raise argparse.ArgumentTypeError(f"{text!r:.60} is not a whole number from {lowest} to {highest}")
        return int(text)

    return convert


def point_in_time(text: str) -> float:
    """Unix seconds of an age or of a date; a date without a zone is of this machine's."""
    age = _AGE.fullmatch(text)
    if age is not None:
        return time.time() - int(age[1]) * _UNITS[age[2]]
    from datetime import datetime  # only needed for dates

    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r:.60} is no time; give an age such as 2h or 14d, or a date such as 2026-05-01"
        ) from None
