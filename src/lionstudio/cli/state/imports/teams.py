"""`li state import-teams`: sync team files into the database."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.progress import ProgressBar
from lionstudio.imports.teams import TeamImport, import_teams

DESCRIPTION = """\
Sync every team file of the home into the database. Safe to repeat. Unreadable files are skipped with the reason. The
files are not changed."""
EXAMPLES = (("li state import-teams --dry-run", "preview"), ("li state import-teams", "sync, for example from a timer"))


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="print what would change and write nothing")


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    with (
        db_access.database(settings.db, create=True, quiet=args.quiet) as db,
        ProgressBar("Reading team files", 0, quiet=args.quiet) as bar,
    ):
        result = import_teams(db, settings.home, dry_run=args.dry_run, progress=lambda number, _: bar.show(number))
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        skipped = [file._asdict() for file in result.skipped]
        print_json({"dry_run": args.dry_run, **result._asdict(), "skipped": skipped})
    else:
        emit(_summary(result, args.dry_run))
    return 0


def _summary(result: TeamImport, dry_run: bool) -> str:
    would = "would be " if dry_run else ""
    lines = [
        f"{count(result.files, 'team file')}: {count(result.teams, 'team')} {would}updated, "
        f"{count(result.added, 'message')} {would}added, {result.changed:,} {would}changed, "
        f"{len(result.skipped):,} skipped."
    ]
    lines += [f"  skipped {inline(file.path)}: {inline(file.reason)}" for file in result.skipped]
    return "\n".join(lines) + "\n"
