"""`li state import-shows`: sync show folders into the database."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._toolkit import db_access
from lionstudio.cli.state.imports import _shared
from lionstudio.imports.shows import import_shows

DESCRIPTION = """\
Sync show folders into the rows of shows and plays. Safe to repeat. By default the folder of the setting `shows` and
`shows` in the home are read. Unreadable shows and plays are skipped with the reason. The files are not changed."""
EXAMPLES = (
    ("li state import-shows --dry-run", "differences between folders and rows"),
    ("li state import-shows", "update the rows"),
    ("li state import-shows --root ~/old/shows", "from another folder"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root",
        metavar="DIR",
        action="append",
        help="folder of shows; repeatable (default: the setting `shows`, and the home)",
    )
    _shared.register(parser)


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    default = [settings.shows, os.path.join(settings.home, "shows")]
    roots = [_shared.folder(root) for root in args.root] if args.root else default
    return _shared.run(
        args, lambda database, report, watch: import_shows(database, roots, report, dry_run=args.dry_run, watch=watch)
    )
