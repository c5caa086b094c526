"""`li agents rollback`: an earlier version becomes the newest; nothing in between is lost."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.definitions._history_db import history_of
from lionstudio.cli.definitions._kinds import Kind
from lionstudio.definitions.versions import rollback


def description(noun: Kind) -> str:
    """What the command does."""
    return f"Make an earlier version of one {noun.one} the newest, and write its file. The versions between stay."


def examples(noun: Kind) -> tuple[tuple[str, str], ...]:
    """Examples of its use."""
    return (
        (f"li {noun.many} history {noun.example}", "which versions there are"),
        (f"li {noun.many} rollback {noun.example} 2", "version 2 again; also brings back a file that was deleted"),
    )


def register(parser: argparse.ArgumentParser, noun: Kind) -> None:
    """Add the options of the command."""
    parser.add_argument("name", metavar="NAME", help=f"the {noun.one}")
    parser.add_argument("version", metavar="VERSION", type=integer(1), help="its number in the history")


def run(args: argparse.Namespace, noun: Kind) -> int:
    """Write the earlier version."""
    settings = db_access.settings_of(args)
    with history_of(noun, args.name, settings, quiet=args.quiet) as (db, target):
        made = rollback(db, settings.home, target, args.version, author="li")
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"name": args.name, "path": target.path, "version": made.version, "etag": made.sha256})
    else:
        now = "already" if made.version == args.version else f"again; that is version {made.version} now"
        emit(f"{inline(target.path)} is as in version {args.version} {now}.\n")
    return 0
