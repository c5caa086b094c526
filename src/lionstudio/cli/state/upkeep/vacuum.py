"""`li state vacuum`: rebuild the database file without its free space; other writers wait meanwhile.

On a server the space of deleted rows becomes free for new ones, and no writer waits.
"""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.humanize import size
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.state.backends import is_server, maintenance

EXAMPLES = (("li state vacuum", "after a large prune"), ("li state stats", "check the free space first"))


def register(parser: argparse.ArgumentParser) -> None:
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    path = db_access.settings_of(args).db
    with db_access.writing(path, quiet=args.quiet) as conn:
        if not is_server(path):
            say(f"Rebuilding {size(maintenance(path).database_bytes(path))}; other writers wait…", quiet=args.quiet)
        with db_access.watched(conn, "Rebuilding", quiet=args.quiet):
            before, after = maintenance(path).vacuum(conn)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"size_bytes_before": before, "size_bytes_after": after})
    else:
        no_gain = "the space of deleted rows is free for new ones" if is_server(path) else "no space to free"
        gain = f"freed {size(before - after)}" if after < before else no_gain
        emit(f"{size(before)} before, {size(after)} after: {gain}.\n")
    return 0
