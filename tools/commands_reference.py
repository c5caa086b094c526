"""Write the generated part of docs/reference/commands.md from the commands and their options: `make docs`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from lionstudio.cli._toolkit.args import load, parser_of
from lionstudio.cli.registry import COMMANDS, GLOBAL_OPTIONS, GROUPS, SECTIONS

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "reference" / "commands.md"
BEGIN = "<!-- Generated from the commands by `make docs`; do not edit below this line. -->"
_COMMON = {option for option, _, _ in GLOBAL_OPTIONS} | {"-h", "--help"}


def reference() -> str:
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    for title, commands in SECTIONS:
        yield f"\n## {title}\n"
        group = ""
        for name, _, _ in commands:
            previous, group = group, name.partition(" ")[0]
            if group != previous and group in GROUPS:
                yield f"`li {group}`: {GROUPS[group]}.\n"
            yield from _command(name)


def _command(name: str) -> Iterator[str]:
    parser = parser_of(name)
    yield f"### li {name}\n"
    yield " ".join((parser.description or COMMANDS[name]).split()) + "\n"
    own = [action for action in shown_actions(name) if not _COMMON.intersection(action.option_strings)]
    positionals = [_metavar(action) for action in own if not action.option_strings]
    options = ["[options]"] if len(own) > len(positionals) else []
    yield " ".join([f"    li {name}", *positionals, *options]) + "\n"
    if own:
        yield "| | |"
        yield "|---|---|"
        yield from map(_row, own)
        yield ""
    yield "```sh"
    yield from (f"{example}  # {meaning}" for example, meaning in load(name).EXAMPLES)
    yield "```\n"


def shown_actions(name: str) -> list[argparse.Action]:
    """The options and arguments of a command that its help shows."""
    return [action for action in parser_of(name)._actions if action.help != argparse.SUPPRESS]


def _row(action: argparse.Action) -> str:
    names = ", ".join(action.option_strings)
    value = "" if action.nargs == 0 or isinstance(action, argparse.BooleanOptionalAction) else _metavar(action)
    meaning = (action.help or "") % {**vars(action), "prog": "li"} if "%" in (action.help or "") else action.help or ""
    return f"| `{f'{names} {value}'.strip()}` | {meaning.replace('|', chr(92) + '|')} |"


def _metavar(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        name = action.metavar
    elif action.choices is not None:
        name = "{" + ",".join(map(str, action.choices)) + "}"
    else:
        name = action.dest.upper() if action.option_strings else action.dest
    repeated = {"+": f"{name}…", "*": f"[{name}…]", "?": f"[{name}]"}
    return repeated.get(str(action.nargs), name) if not action.option_strings else name


def main() -> None:
    written_by_hand = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[0]
    DOCUMENT.write_text(written_by_hand + BEGIN + "\n" + reference().rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
