"""`li workers drain`: let a worker finish what it has and take nothing new."""

from __future__ import annotations

import argparse

from lionstudio.cli._person import require_person
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.workers._hub import require_hub
from lionstudio.state.connection import Connection
from lionstudio.state.workers.workers import Worker, drain_worker, get_worker

DESCRIPTION = """\
Let a worker finish the orders that it has and take nothing new, for example before its machine is serviced. It stays so
after a restart, until --undo."""
EXAMPLES = (("li workers drain build-1", "take nothing new"), ("li workers drain build-1 --undo", "take orders again"))


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("worker", type=utf8, metavar="WORKER", help="name or id")
    parser.add_argument("--undo", action="store_true", help="take orders again")


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    require_hub(settings)
    require_person(args, f"to drain the worker {args.worker}")

    def work(conn: Connection) -> Worker:
        worker = get_worker(conn, args.worker)
        drain_worker(conn, worker.id, draining=not args.undo)
        return worker

    with db_access.database(settings.db) as database:
        worker = database.write(work)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"id": worker.id, "name": worker.name, "draining": not args.undo, "orders": worker.busy})
    elif args.undo:
        emit(f"{inline(worker.name)} takes orders again\n")
    else:
        rest = f"; it still has {count(worker.busy, 'order')}" if worker.busy else ""
        emit(f"{inline(worker.name)} takes nothing new{rest}\n")
    return 0
