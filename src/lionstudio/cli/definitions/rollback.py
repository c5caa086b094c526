"""`li agents rollback` and the like: restore an earlier version as a new one; the versions between are kept."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.definitions._history_db import history_of
from lionstudio.cli.definitions._kinds import DefinitionKind
from lionstudio.definitions.versions import rollback


def description(kind: DefinitionKind) -> str:
    return f"Restore an earlier version of one {kind.singular} and write its file. No version is deleted."


def examples(kind: DefinitionKind) -> tuple[tuple[str, str], ...]:
    return (
        (f"li {kind.plural} history {kind.example}", "list the versions"),
        (f"li {kind.plural} rollback {kind.example} 2", "restore version 2, even if the file was deleted"),
    )


def register(parser: argparse.ArgumentParser, kind: DefinitionKind) -> None:
    parser.add_argument("name", metavar="NAME", help=f"name of the {kind.singular}")
    parser.add_argument("version", metavar="VERSION", type=integer(1), help="version number (see history)")


def run(args: argparse.Namespace, kind: DefinitionKind) -> int:
    settings = db_access.settings_of(args)
    with history_of(kind, args.name, settings, quiet=args.quiet) as (db, target):
        restored = rollback(db, settings.home, target, args.version, author="li")
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"name": args.name, "path": target.path, "version": restored.version, "etag": restored.sha256})
    else:
        unchanged = restored.version == args.version
        change = "is already at" if unchanged else f"restored as version {restored.version}, equal to"
        emit(f"{inline(target.path)} {change} version {args.version}.\n")
    return 0
