"""`li agents validate` and its like: every problem with its file and line; exit code 1 when there is an error."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import styles_for
from lionstudio.cli.definitions import _kinds
from lionstudio.cli.definitions._kinds import Kind
from lionstudio.files.formats.field_rules import Problem
from lionstudio.settings import Settings
from lionstudio.system.filenames import shown

_COLOURS = {"error": "red", "warning": "yellow"}


class ValidatedFile(NamedTuple):
    """A file and what is wrong with it."""

    name: str
    path: str
    problems: tuple[Problem, ...]


def description(noun: Kind) -> str:
    """What the command does."""
    return (
        f"Check {noun.many}: every problem with its line and what to do about it. Exit code 1 when there is an error, "
        "0 when there are only warnings. Nothing is run."
    )


def examples(noun: Kind) -> tuple[tuple[str, str], ...]:
    """Examples of its use."""
    shown = [
        (f"li {noun.many} validate", "all of them"),
        (f"li {noun.many} validate {noun.example}", "one, by its name"),
    ]
    if noun.edited:
        suffix = ".md" if noun.one == "agent" else ".yaml"
        shown.append(
            (f"li {noun.many} validate ./{noun.example}{suffix}", "a file, wherever it lies: for a commit hook")
        )
    return tuple(shown)


def register(parser: argparse.ArgumentParser, noun: Kind) -> None:
    """Add the options of the command."""
    what = "a name, or the path of a file" if noun.edited else "a name"
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"{what} (all of them)")


def run(args: argparse.Namespace, noun: Kind) -> int:
    """Print every problem."""
    settings = db_access.settings_of(args)
    checked = [each for name in args.names for each in _named(noun, name, settings)]
    checked = checked if args.names else list(_all(noun, settings))
    errors, warnings = (_number(checked, severity) for severity in ("error", "warning"))
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({noun.many: [_wire(each) for each in checked], "errors": errors, "warnings": warnings})
    else:
        _print(checked, args)
        result = f"{count(errors, 'error')}, {count(warnings, 'warning')} in {count(len(checked), noun.one)}.\n"
        emit(result if errors or warnings else f"{count(len(checked), noun.one)}, nothing is wrong.\n")
    return 1 if errors else 0


def _all(noun: Kind, settings: Settings) -> Iterator[ValidatedFile]:
    if noun.one != "plugin":
        yield from (ValidatedFile(each.name, each.path, each.problems) for each in _kinds.listed(noun, settings))
        return
    for plugin in _kinds.plugins(settings):
        yield from _of_plugin(plugin)


def _named(noun: Kind, name: str, settings: Settings) -> Iterator[ValidatedFile]:
    if noun.one == "plugin":
        yield from _of_plugin(_kinds.plugin(name, settings))
    elif noun.edited and (os.sep in name or name.endswith((".md", ".yaml", ".yml"))):
        from lionstudio.files.definitions.catalog import SUFFIXES, read_definition
        from lionstudio.files.definitions.search_paths import SearchPath

        path = os.path.abspath(name)
        base = os.path.basename(path)
        suffix = next((each for each in SUFFIXES[noun.one] if base.endswith(each)), "")
        found = read_definition(noun.one, base.removesuffix(suffix), path, SearchPath(os.path.dirname(path), "file"))
        yield ValidatedFile(found.name, found.path, found.problems)
    else:
        found = _kinds.got(noun, name, settings)
        yield ValidatedFile(found.name, found.path, found.problems)


def _of_plugin(plugin: Any) -> Iterator[ValidatedFile]:
    yield ValidatedFile(plugin.name, plugin.path, plugin.problems)
    for part in plugin.components:
        if part.problems:
            yield ValidatedFile(f"{plugin.name}:{part.name}", part.path, part.problems)


def _number(checked: list[ValidatedFile], severity: str) -> int:
    return sum(problem.severity == severity for each in checked for problem in each.problems)


def _wire(each: ValidatedFile) -> dict[str, Any]:
    return {"name": each.name, "path": shown(each.path), "problems": [problem._asdict() for problem in each.problems]}


def _print(checked: list[ValidatedFile], args: argparse.Namespace) -> None:
    paint = styles_for(sys.stdout, refused=args.no_color)
    for each in checked:
        for problem in each.problems:
            place = inline(shown(each.path)) + (f":{problem.line}" if problem.line else "")
            emit(f"{place}: {paint(problem.severity, _COLOURS[problem.severity])}: {inline(problem.message)}\n")
            if problem.hint:
                emit(f"    → {inline(problem.hint)}\n")
