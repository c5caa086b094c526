"""`li state backup`: a copy of the database as of one moment, whoever writes meanwhile."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import size
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.state.sqlite.maintenance import backup, file_size

EXAMPLES = (
    ("li state backup ~/state-$(date +%F).db", "a copy with today's date"),
    ("li --db ~/state-2026-05-01.db state ls", "look into a copy"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the copy; it must not exist yet")


def run(args: argparse.Namespace) -> int:
    """Copy the database; the copy bears its name only when it is whole."""
    path = db_access.settings_of(args).db
    target = os.path.abspath(args.file)
    with db_access.reading(path):
        say(f"Copying {size(file_size(path))}…", quiet=args.quiet)
    copied = backup(path, target)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"path": target, "size_bytes": copied})
    else:
        emit(f"{size(copied)} copied to {inline(target)}\n")
    return 0
