"""`li agents diff`: what changed between two versions of a definition."""

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
from lionstudio.cli.definitions._kinds import Kind
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.state.connection import Connection
from lionstudio.state.definitions import Version, find_version, get_version

_MOST_LINES = 20_000  # comparing takes the square of this
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def description(noun: Kind) -> str:
    """What the command does."""
    return (
        f"Compare two versions of one {noun.one}. Without numbers the two newest are compared, with one number that "
        "version and the newest."
    )


def examples(noun: Kind) -> tuple[tuple[str, str], ...]:
    """Examples of its use."""
    return (
        (f"li {noun.many} diff {noun.example}", "what the last edit changed"),
        (f"li {noun.many} diff {noun.example} 2 5", "from version 2 to version 5"),
    )


def register(parser: argparse.ArgumentParser, noun: Kind) -> None:
    """Add the options of the command."""
    parser.add_argument("name", metavar="NAME", help=f"the {noun.one}")
    parser.add_argument("older", metavar="V1", nargs="?", type=integer(1), help="from this version")
    parser.add_argument("newer", metavar="V2", nargs="?", type=integer(1), help="to this version (the newest)")


def run(args: argparse.Namespace, noun: Kind) -> int:
    """Print the difference."""
    settings = db_access.settings_of(args)
    with history_of(noun, args.name, settings, quiet=args.quiet) as (db, target):
        older, newer = db.read(lambda conn: _chosen(conn, target.kind, target.key, args.older, args.newer))
    lines = list(_difference(noun, args.name, older, newer))
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"name": args.name, "from": older.version, "to": newer.version, "diff": "\n".join(lines)})
        return 0
    paint = styles_for(sys.stdout, refused=args.no_color)
    emit_lines(_painted(inline(line), paint) for line in lines)
    if not lines:
        say(f"Version {older.version} and version {newer.version} are the same.", quiet=args.quiet)
    return 0


def _painted(line: str, paint: Paint) -> str:
    return paint(line, _COLOURS[line[0]]) if line[:1] in _COLOURS else line


def _chosen(conn: Connection, kind: str, key: str, older: int | None, newer: int | None) -> tuple[Version, Version]:
    last = get_version(conn, kind, key, newer)
    if older is not None:
        return get_version(conn, kind, key, older), last
    first = find_version(conn, kind, key, last.version - 1)
    if first is None:
        raise NotFound(f"there is only one version of this {kind}", hint=f"`li {kind}s show NAME` shows it")
    return first, last


def _difference(noun: Kind, name: str, older: Version, newer: Version) -> Iterator[str]:
    from difflib import unified_diff  # slow to load

    texts = older.content.splitlines(), newer.content.splitlines()
    if max(map(len, texts)) > _MOST_LINES:
        raise InvalidInput(
            f"more than {_MOST_LINES:,} lines are not compared here",
            hint=f"write both to files: li {noun.many} show {name} --text --version {older.version}",
        )
    labels = f"{name} version {older.version}", f"{name} version {newer.version}"
    yield from unified_diff(*texts, *labels, lineterm="")
