"""`li kill`: stop a run with everything it started; only ever a process that is proven to be the run's own."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, words
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run._targets import resolve_all
from lionstudio.runs.stop import stop_run

DESCRIPTION = """\
Stop runs with everything they started. The process that a run recorded is asked to end: it ends its agents, keeps what
they said and marks the run cancelled. One that does not within the grace is killed; then, and for a run whose process
is already dead, what it left running is ended too and the run is marked cancelled. Nothing is signalled on doubt: a
process id that belongs to somebody else by now is recognised."""
EXAMPLES = (("li kill 019e2f3c", "stop a run"), ("li kill my-agent --grace 0", "at once"))


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li kill`."""
    parser.add_argument("sessions", nargs="+", type=words, metavar="SESSION", help="an id, its beginning, or a name")
    parser.add_argument("--grace", type=integer(), default=15, metavar="SECONDS", help="before it is killed (15)")


def run(args: argparse.Namespace) -> int:
    """Stop all of them; 1 when one could not be stopped."""
    settings = db_access.settings_of(args)
    with db_access.reading(settings.db) as conn:
        wanted = resolve_all(conn, args.sessions)
    outcomes = {session_id: stop_run(settings.db, session_id, grace=args.grace) for session_id in wanted}
    if args.json:
        print_json({"schema_version": 1, "sessions": {one: how.outcome for one, how in outcomes.items()}})
    else:
        for session_id, how in outcomes.items():
            say(f"{session_id}: {how.outcome}", quiet=args.quiet)
    return 0 if all(how.over for how in outcomes.values()) else 1
