"""`li state path`: print the path of the database, even if it does not exist."""

from __future__ import annotations

import argparse
import sys

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.output import emit, emit_exact
from lionstudio.state.backends import exists

EXAMPLES = (
    ("li state path", "the database file"),
    ('sqlite3 -readonly "$(li state path)"', "open it with another tool"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    path = db_access.settings_of(args).db
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"path": path, "exists": exists(path)})
    else:
        # a terminal gets an escaped name; a program needs the exact one
        (emit if sys.stdout.isatty() else emit_exact)(path + "\n")
    return 0
