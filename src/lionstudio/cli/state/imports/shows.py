"""`li state import-shows`: show folders into shows and plays."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._toolkit import db_access
from lionstudio.cli.state.imports import _shared
from lionstudio.imports.shows import import_shows

DESCRIPTION = """\
Bring the rows of shows and plays up to date with their folders, as often as you like. Looks in the folder of the
setting `shows` and in `shows` of the home. A show or play that cannot be read is left out with the reason. The
files themselves are not changed."""
EXAMPLES = (
    ("li state import-shows --dry-run", "what differs between folders and rows"),
    ("li state import-shows", "bring the rows up to date"),
    ("li state import-shows --root ~/old/shows", "from another folder"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", metavar="DIR", action="append", help="a folder of shows; may be given several times")
    _shared.register(parser)


def run(args: argparse.Namespace) -> int:
    """Import, and report."""
    settings = db_access.settings_of(args)
    usual = [settings.shows, os.path.join(settings.home, "shows")]
    roots = [_shared.folder(root) for root in args.root] if args.root else usual
    return _shared.run(
        args, lambda store, report, watch: import_shows(store, roots, report, dry_run=args.dry_run, watch=watch)
    )
