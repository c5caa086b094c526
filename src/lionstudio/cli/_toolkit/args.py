"""Argument parsing: the parser of one command, built when it is called, and the types of option values."""

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

SESSION_HELP = "session id, its start, a name, or `last` for the newest"
_WIDEST_HELP = 100  # longer lines are hard to read
_EXAMPLES = "examples:"
_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_DAYS = {"today": 0, "yesterday": 1}
_AGE = re.compile(r"([0-9]{1,9})(s|m|min|h|d|w)")

if TYPE_CHECKING:
    from typing import Protocol

    class CommandModule(Protocol):
        """The attributes of a command module; DESCRIPTION and TAKES_REST are optional."""

        EXAMPLES: tuple[tuple[str, str], ...]

        def register(self, parser: argparse.ArgumentParser) -> None: ...

        def run(self, args: argparse.Namespace) -> int: ...


def load(name: str) -> CommandModule:
    """The module of a command; some share one, bound to a kind of definition or to a transcript tool."""
    module: Any = import_module(f"lionstudio.cli.{MODULES[name]}")
    if MODULES[name].startswith("definitions."):
        from lionstudio.cli.definitions._kinds import BoundCommand

        return BoundCommand(name.partition(" ")[0], module)
    if MODULES[name] == "mirror._tool":
        command: CommandModule = module.MirrorCommand(name.partition(" ")[2])
        return command
    return module  # type: ignore[no-any-return]


def parse(name: str, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of a command; InvalidInput suggests the closest option."""
    parser = parser_of(name)
    rest: list[str] = []
    if getattr(load(name), "TAKES_REST", False) and "--" in arguments:
        end = list(arguments).index("--")
        arguments, rest = arguments[:end], list(arguments[end + 1 :])
    # intermixed parsing is slower; only optional or repeated positionals can be split by options
    mixed = "--" not in arguments and any(
        action.nargs in ("+", "*", "?") and not action.option_strings for action in parser._actions
    )
    args, unknown = parser.parse_known_intermixed_args(arguments) if mixed else parser.parse_known_args(arguments)
    if unknown:
        raise _unknown(parser, unknown[0])
    args.rest = rest
    return args


def parser_of(name: str) -> Parser:
    """The complete parser of a command: its own options and the global ones."""
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
    own_names = {string for action in parser._actions for string in action.option_strings}
    group = parser.add_argument_group("options of every command")
    for option, value, meaning in GLOBAL_OPTIONS:
        if option in own_names:
            continue
        # `-q` means --query where a command has that option
        names = ["-q", option] if option == "--quiet" and "-q" not in own_names else [option]
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
        # argparse makes a formatter per option, and by default imports shutil for the width
        super().__init__(prog, max_help_position=26, width=min(width_of(sys.stdout), _WIDEST_HELP))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith(_EXAMPLES):
            return super()._fill_text(text, width, indent)
        fill = argparse.HelpFormatter._fill_text
        return "\n\n".join(fill(self, paragraph, width, indent) for paragraph in text.split("\n\n"))


class Parser(argparse.ArgumentParser):
    """An argument parser that raises our errors, with the closest valid value as hint."""

    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{_short(self)}: {message}", hint=f"{self.prog} --help")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        values = value if isinstance(value, list) else [value]
        if action.choices is None or all(each in action.choices for each in values):
            return
        wrong = next(each for each in values if each not in action.choices)
        from lionstudio.files.formats.suggest import nearest

        choices = [str(choice) for choice in action.choices]
        name = "/".join(action.option_strings) or action.metavar or action.dest
        raise InvalidInput(
            f"{_short(self)}: invalid value {str(wrong)!r:.60} for {name}",
            hint=nearest(str(wrong), choices) or f"one of: {', '.join(choices)}",
        )


def _short(parser: Parser) -> str:
    # every message already starts with "li:"
    return parser.prog.removeprefix("li ")


def _unknown(parser: Parser, argument: str) -> InvalidInput:
    if not argument.startswith("-") or argument == "--":
        return InvalidInput(f"{_short(parser)}: unexpected argument {argument!r:.60}", hint=f"{parser.prog} --help")
    from lionstudio.files.formats.suggest import nearest

    option = argument.partition("=")[0]
    options = [string for action in parser._actions for string in action.option_strings]
    hint = nearest(option, options) or f"{parser.prog} --help"
    return InvalidInput(f"{_short(parser)}: unknown option {option[:60]}", hint=hint)


def utf8(text: str) -> str:
    """Option type for text that is stored or compared with stored text: invalid UTF-8 is escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def comma_list(text: str) -> list[str]:
    """Option type for words separated by commas."""
    words = [word.strip() for word in utf8(text).split(",") if word.strip()]
    if not words:
        raise argparse.ArgumentTypeError("a value is missing")
    return words


def integer(lowest: int = 0, highest: int = 10**9) -> Callable[[str], int]:
    """Option type for an integer in a range."""

    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not lowest <= int(text[:20]) <= highest:
            raise argparse.ArgumentTypeError(f"{text!r:.60} is not an integer from {lowest} to {highest}")
        return int(text)

    return convert


def point_in_time(text: str) -> float:
    """Option type for a time: an age such as 2h, today, yesterday or a date (local without a zone), as unix seconds."""
    age = _AGE.fullmatch(text)
    if age is not None:
        return time.time() - int(age[1]) * _UNITS[age[2]]
    from datetime import date, datetime, timedelta  # only needed for dates

    if text in _DAYS:
        day = date.today() - timedelta(days=_DAYS[text])
        return datetime(day.year, day.month, day.day).timestamp()
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r:.60} is not a time; use an age (2h, 14d), a date (2026-05-01), today or yesterday"
        ) from None
