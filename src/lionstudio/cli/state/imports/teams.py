"""`li state import-teams`: brings team files into the database; again and again, as new messages arrive."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.progress import Progress
from lionstudio.imports.teams import Imported, import_teams

DESCRIPTION = """\
Bring every team file of the home into the database. Doing it twice is the same as doing it once; files that
cannot be read are left out with the reason. The files themselves are not changed."""
EXAMPLES = (
    ("li state import-teams --dry-run", "what would be brought in"),
    ("li state import-teams", "bring it in; good for a timer"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="only say what would be brought in")


def run(args: argparse.Namespace) -> int:
    """Import, and report."""
    settings = db_access.settings_of(args)
    with (
        db_access.database(settings.db, create=True, quiet=args.quiet) as db,
        Progress("Reading team files", 0, quiet=args.quiet) as bar,
    ):
        done = import_teams(db, settings.home, dry_run=args.dry_run, progress=lambda number, _: bar.show(number))
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        skipped = [each._asdict() for each in done.skipped]
        print_json({"dry_run": args.dry_run, **done._asdict(), "skipped": skipped})
    else:
        emit(_told(done, args.dry_run))
    return 0


def _told(done: Imported, dry_run: bool) -> str:
    would = "would be " if dry_run else ""
    lines = [
        f"{count(done.files, 'team file')}: {count(done.teams, 'team')} {would}brought up to date, "
        f"{count(done.added, 'message')} {would}added, {done.changed:,} {would}changed, {len(done.skipped):,} skipped."
    ]
    lines += [f"  skipped {inline(each.path)}: {inline(each.reason)}" for each in done.skipped]
    return "\n".join(lines) + "\n"
