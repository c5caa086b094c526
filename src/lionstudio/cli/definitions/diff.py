"""`li agents diff` and the like: compare two versions of a definition."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.terminal import Paint, say, styles_for
from lionstudio.cli.definitions._history_db import history_of
from lionstudio.cli.definitions._kinds import DefinitionKind
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.state.connection import Connection
from lionstudio.state.definitions import Version, find_version, get_version

_MOST_LINES = 20_000  # comparing takes quadratic time
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def description(kind: DefinitionKind) -> str:
    return (
        f"Compare two versions of one {kind.singular}: by default the two newest; with one number, that version "
        "and the newest."
    )


def examples(kind: DefinitionKind) -> tuple[tuple[str, str], ...]:
    return (
        (f"li {kind.plural} diff {kind.example}", "the last edit"),
        (f"li {kind.plural} diff {kind.example} 2 5", "from version 2 to version 5"),
    )


def register(parser: argparse.ArgumentParser, kind: DefinitionKind) -> None:
    parser.add_argument("name", metavar="NAME", help=f"name of the {kind.singular}")
    parser.add_argument(
        "older", metavar="V1", nargs="?", type=integer(1), help="older version (default: the one before V2)"
    )
    parser.add_argument("newer", metavar="V2", nargs="?", type=integer(1), help="newer version (default: the newest)")


def run(args: argparse.Namespace, kind: DefinitionKind) -> int:
    settings = db_access.settings_of(args)
    with history_of(kind, args.name, settings, quiet=args.quiet) as (db, target):
        older, newer = db.read(lambda conn: _versions(conn, target.kind, target.key, args.older, args.newer))
    lines = list(_difference(kind, args.name, older, newer))
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"name": args.name, "from": older.version, "to": newer.version, "diff": "\n".join(lines)})
        return 0
    paint = styles_for(sys.stdout, refused=args.no_color)
    emit_lines(_painted(inline(line), paint) for line in lines)
    if not lines:
        say(f"Versions {older.version} and {newer.version} are identical.", quiet=args.quiet)
    return 0


def _painted(line: str, paint: Paint) -> str:
    return paint(line, _COLOURS[line[0]]) if line[:1] in _COLOURS else line


def _versions(conn: Connection, kind: str, key: str, older: int | None, newer: int | None) -> tuple[Version, Version]:
    second = get_version(conn, kind, key, newer)
    if older is not None:
        return get_version(conn, kind, key, older), second
    first = find_version(conn, kind, key, second.version - 1)
    if first is None:
        raise NotFound(f"this {kind} has only one version", hint=f"li {kind}s ls")
    return first, second


def _difference(kind: DefinitionKind, name: str, older: Version, newer: Version) -> Iterator[str]:
    from difflib import unified_diff  # slow to load

    texts = older.content.splitlines(), newer.content.splitlines()
    if max(map(len, texts)) > _MOST_LINES:
        raise InvalidInput(
            f"the versions have more than {_MOST_LINES:,} lines, too many to compare here",
            hint=f"li {kind.plural} show {name} --text --version {older.version} > older.txt, then use diff",
        )
    labels = f"{name} version {older.version}", f"{name} version {newer.version}"
    yield from unified_diff(*texts, *labels, lineterm="")
