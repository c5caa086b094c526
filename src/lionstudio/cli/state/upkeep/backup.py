"""`li state backup`: copy a consistent snapshot of the database, safely while in use."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import size
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.settings import local_path
from lionstudio.state.backends import is_server, maintenance

EXAMPLES = (
    ("li state backup ~/state-$(date +%F).db", "back up under today's date"),
    ("li --db ~/state-2026-05-01.db state ls", "inspect a backup"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="path of the backup; it must not exist")


def run(args: argparse.Namespace) -> int:
    """The backup gets its name only when it is complete."""
    path = db_access.settings_of(args).db
    target = local_path(args.file, "pass the file to write")
    with db_access.reading(path):
        if not is_server(path):
            say(f"Copying {size(maintenance(path).database_bytes(path))}…", quiet=args.quiet)
    size_bytes = maintenance(path).backup(path, target)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"path": target, "size_bytes": size_bytes})
    else:
        emit(f"Copied {size(size_bytes)} to {inline(target)}\n")
    return 0
