"""`li workers rm`: remove a worker that is gone from the list."""

from __future__ import annotations

import argparse

from lionstudio.cli._person import require_person
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.workers._hub import require_hub
from lionstudio.state.workers.workers import remove_worker

DESCRIPTION = """\
Remove a worker that is gone from the list. One that is connected is refused, and so is one that still has orders: those
of a silent worker go to others by themselves."""
EXAMPLES = (("li workers rm build-1", "remove it; started again, it comes back"),)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("worker", type=utf8, metavar="WORKER", help="name or id")


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    require_hub(settings)
    require_person(args, f"to remove the worker {args.worker}")
    with db_access.database(settings.db) as database:
        worker = database.write(lambda conn: remove_worker(conn, args.worker))
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"id": worker.id, "name": worker.name, "removed": True})
    else:
        emit(f"{inline(worker.name)} removed\n")
    return 0
