"""`li state import-db`: another state.db, of any lineage and version."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._toolkit import db_access
from lionstudio.cli.state.imports import _shared
from lionstudio.imports.external_db.importer import import_database

DESCRIPTION = """\
Bring everything that another state.db holds into ours: sessions, branches, messages, shows, plays, teams and
definitions. The other file is opened for reading only and read by the columns it has; what we have no column for is
kept in the metadata. Interrupted, it goes on where it was when it is run again."""
EXAMPLES = (
    ("li state import-db ~/old/state.db --dry-run", "what would be imported"),
    ("li state import-db ~/old/state.db", "import it; Ctrl-C and run it again whenever you like"),
    ("li state import-db /mnt/laptop/.lionagi/state.db --json", "bring two homes together"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the other database")
    _shared.register(parser)


def run(args: argparse.Namespace) -> int:
    """Import, and report."""
    path, target = os.path.abspath(os.path.expanduser(args.file)), db_access.settings_of(args).db
    return _shared.run(
        args,
        lambda store, report, watch: import_database(store, target, path, report, dry_run=args.dry_run, watch=watch),
    )
