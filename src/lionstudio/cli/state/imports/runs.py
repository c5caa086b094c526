"""`li state import`: import run folders of older tools."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli.state.imports import _shared
from lionstudio.imports.run_folders.importer import import_runs

DESCRIPTION = """\
Import old run folders (runs/<id>/run.json with branches/*.json) and branch snapshots (logs/agents/…). Safe to repeat.
Unreadable runs are skipped with the reason. The files are not changed."""
EXAMPLES = (
    ("li state import --dry-run", "preview"),
    ("li state import", "import; safe to interrupt and repeat"),
    ("li state import --root /mnt/old/.lionagi --json", "from another home, with one JSON entry per run"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", metavar="DIR", help="home or folder of runs to import from (default: the home)")
    _shared.register(parser)


def run(args: argparse.Namespace) -> int:
    root = _shared.folder(args.root) if args.root else db_access.settings_of(args).home
    return _shared.run(
        args, lambda database, report, watch: import_runs(database, root, report, dry_run=args.dry_run, watch=watch)
    )
