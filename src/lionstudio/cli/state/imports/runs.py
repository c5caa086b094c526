"""`li state import`: runs that older tools left as files."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli.state.imports import _shared
from lionstudio.imports.run_folders.importer import import_runs

DESCRIPTION = """\
Bring old run folders (runs/<id>/run.json with branches/*.json) and branch snapshots (logs/agents/…) into the
database. Doing it twice is the same as doing it once; a run that cannot be read is left out with the reason. The
files themselves are not changed."""
EXAMPLES = (
    ("li state import --dry-run", "what would be imported from the home"),
    ("li state import", "import it; Ctrl-C and run it again whenever you like"),
    ("li state import --root /mnt/old/.lionagi --json", "from another home, with one entry for each run"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", metavar="DIR", help="a home, or a folder of runs (default: the home)")
    _shared.register(parser)


def run(args: argparse.Namespace) -> int:
    """Import, and report."""
    root = _shared.folder(args.root) if args.root else db_access.settings_of(args).home
    return _shared.run(
        args, lambda store, report, watch: import_runs(store, root, report, dry_run=args.dry_run, watch=watch)
    )
