"""`li state import-db`: import another state.db of any version."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli.state.imports import _shared
from lionstudio.imports.external_db.importer import import_database
from lionstudio.settings import local_path

DESCRIPTION = """\
Import sessions, branches, messages, shows, plays, teams and definitions from another state.db. The other file is only
read, whatever columns it has; values without a column here go to the metadata. An interrupted import continues when it
is run again."""
EXAMPLES = (
    ("li state import-db ~/old/state.db --dry-run", "preview"),
    ("li state import-db ~/old/state.db", "import; safe to interrupt and repeat"),
    ("li state import-db /mnt/laptop/.lionagi/state.db --json", "merge the database of another machine"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="database to import from")
    _shared.register(parser)


def run(args: argparse.Namespace) -> int:
    path = local_path(args.file, "pass the path of a state.db; sessions of a server: pg_dump, or its Studio")
    target = db_access.settings_of(args).db
    return _shared.run(
        args,
        lambda database, report, watch: import_database(
            database, target, path, report, dry_run=args.dry_run, watch=watch
        ),
    )
