"""`li kill`: stop a run and every process it started; only processes proven to belong to the run are signalled."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import SESSION_HELP, integer, utf8
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run._targets import resolve_all
from lionstudio.runs.stop import stop_run

DESCRIPTION = """\
Stop runs and every process they started. The recorded process of a run receives SIGTERM: it stops its agents, records
their last messages and marks the run cancelled. After the grace period it is killed, with every process the run left.
If its process was gone already, what is left of its agent is stopped and the run is marked failed. A process is
signalled only if it is proven to belong to the run; a reused process id is recognised."""
EXAMPLES = (("li kill 019e2f3c", "stop a run"), ("li kill my-agent --grace 0", "kill without waiting"))


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sessions", nargs="+", type=utf8, metavar="SESSION", help=SESSION_HELP)
    parser.add_argument(
        "--grace",
        type=integer(),
        default=15,
        metavar="SECONDS",
        help="time between SIGTERM and SIGKILL (default %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Exit code 1 if a run could not be stopped."""
    settings = db_access.settings_of(args)
    with db_access.reading(settings.db) as conn:
        session_ids = resolve_all(conn, args.sessions)
    results = {session_id: stop_run(settings.db, session_id, grace=args.grace) for session_id in session_ids}
    if args.json:
        print_json(
            {"schema_version": 1, "sessions": {session_id: result.outcome for session_id, result in results.items()}}
        )
    else:
        for session_id, result in results.items():
            say(f"{session_id}: {result.outcome}", quiet=args.quiet)
    return 0 if all(result.over for result in results.values()) else 1
