"""`li agents validate` and the like: print every problem with its file and line."""

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
from lionstudio.cli.definitions._kinds import DefinitionKind
from lionstudio.files.formats.field_rules import Problem
from lionstudio.settings import Settings
from lionstudio.system.filenames import shown

_COLOURS = {"error": "red", "warning": "yellow"}


class ValidatedFile(NamedTuple):
    name: str
    path: str
    problems: tuple[Problem, ...]


def description(kind: DefinitionKind) -> str:
    return (
        f"Check {kind.plural} and print every problem with its line and a fix. The exit code is 1 for errors and 0 for "
        "warnings. Nothing is executed."
    )


def examples(kind: DefinitionKind) -> tuple[tuple[str, str], ...]:
    rows = [
        (f"li {kind.plural} validate", f"all {kind.plural}"),
        (f"li {kind.plural} validate {kind.example}", "one by name"),
    ]
    if kind.has_history:
        suffix = ".md" if kind.singular == "agent" else ".yaml"
        rows.append((f"li {kind.plural} validate ./{kind.example}{suffix}", "any file, for a commit hook"))
    return tuple(rows)


def register(parser: argparse.ArgumentParser, kind: DefinitionKind) -> None:
    target = "name or file path" if kind.has_history else "name"
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"{target} (default: all {kind.plural})")


def run(args: argparse.Namespace, kind: DefinitionKind) -> int:
    settings = db_access.settings_of(args)
    checked = [file for name in args.names for file in _named(kind, name, settings)]
    checked = checked if args.names else list(_all(kind, settings))
    errors, warnings = (_number(checked, severity) for severity in ("error", "warning"))
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({kind.plural: [_wire(file) for file in checked], "errors": errors, "warnings": warnings})
    else:
        _print(checked, args)
        result = f"{count(errors, 'error')}, {count(warnings, 'warning')} in {count(len(checked), kind.singular)}.\n"
        emit(result if errors or warnings else f"{count(len(checked), kind.singular)}, no problems.\n")
    return 1 if errors else 0


def _all(kind: DefinitionKind, settings: Settings) -> Iterator[ValidatedFile]:
    if kind.singular != "plugin":
        yield from (ValidatedFile(item.name, item.path, item.problems) for item in _kinds.list_of_kind(kind, settings))
        return
    for plugin in _kinds.plugins(settings):
        yield from _of_plugin(plugin)


def _named(kind: DefinitionKind, name: str, settings: Settings) -> Iterator[ValidatedFile]:
    if kind.singular == "plugin":
        yield from _of_plugin(_kinds.plugin(name, settings))
    elif kind.has_history and (os.sep in name or name.endswith((".md", ".yaml", ".yml"))):
        from lionstudio.files.definitions.catalog import SUFFIXES, read_definition
        from lionstudio.files.definitions.search_paths import SearchPath

        path = os.path.abspath(name)
        base = os.path.basename(path)
        suffix = next((ending for ending in SUFFIXES[kind.singular] if base.endswith(ending)), "")
        item = read_definition(
            kind.singular, base.removesuffix(suffix), path, SearchPath(os.path.dirname(path), "file")
        )
        yield ValidatedFile(item.name, item.path, item.problems)
    else:
        item = _kinds.get_of_kind(kind, name, settings)
        yield ValidatedFile(item.name, item.path, item.problems)


def _of_plugin(plugin: Any) -> Iterator[ValidatedFile]:
    yield ValidatedFile(plugin.name, plugin.path, plugin.problems)
    for part in plugin.components:
        if part.problems:
            yield ValidatedFile(f"{plugin.name}:{part.name}", part.path, part.problems)


def _number(checked: list[ValidatedFile], severity: str) -> int:
    return sum(problem.severity == severity for file in checked for problem in file.problems)


def _wire(file: ValidatedFile) -> dict[str, Any]:
    return {"name": file.name, "path": shown(file.path), "problems": [problem._asdict() for problem in file.problems]}


def _print(checked: list[ValidatedFile], args: argparse.Namespace) -> None:
    paint = styles_for(sys.stdout, refused=args.no_color)
    for file in checked:
        for problem in file.problems:
            place = inline(shown(file.path)) + (f":{problem.line}" if problem.line else "")
            emit(f"{place}: {paint(problem.severity, _COLOURS[problem.severity])}: {inline(problem.message)}\n")
            if problem.hint:
                emit(f"    → {inline(problem.hint)}\n")
