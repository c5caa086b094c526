"""`li state import-home`: import a whole home."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli.state.imports import _shared
from lionstudio.imports.home import import_home

DESCRIPTION = """\
Import another home: its state.db, run folders, teams, shows, agents, playbooks and skills, with one report. Safe to
repeat. The other home is only read; a file of this home is never overwritten."""
EXAMPLES = (
    ("li state import-home ~/old-home --dry-run", "preview"),
    ("li state import-home ~/old-home", "import; safe to interrupt and repeat"),
    ("li state import-home /mnt/laptop/.lionagi --json", "the home of another machine, with one JSON entry per item"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="home to import from")
    _shared.register(parser)


def run(args: argparse.Namespace) -> int:
    root, settings = _shared.folder(args.folder), db_access.settings_of(args)
    return _shared.run(
        args,
        lambda database, report, watch: import_home(
            database, settings, root, report, dry_run=args.dry_run, watch=watch
        ),
    )
