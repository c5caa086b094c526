"""`li wait`: until a run has ended, with its exit code."""

from __future__ import annotations

import argparse
import time

from lionstudio.cli._session.row import state_of
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, words
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run._targets import exit_code_of, resolve_all
from lionstudio.state.sessions import get_session
from lionstudio.state.sqlite.tail import Tail

DESCRIPTION = """\
Wait until sessions have ended. The exit code is that of the first one that did not complete, 0 when all did, 124
when the time was up. A run whose process is proven dead does not keep anybody waiting: that is exit code 1."""
EXAMPLES = (
    ("li wait 019e2f3c && echo done", "go on when a run has completed"),
    ("li wait a-run another --timeout 600", "several, for ten minutes at most"),
)
_LOOK_AGAIN = 5.0  # seconds between two looks whether the process lives; changes come by themselves


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li wait`."""
    parser.add_argument("sessions", nargs="+", type=words, metavar="SESSION", help="an id, its beginning, or a name")
    parser.add_argument("--timeout", type=integer(1), metavar="SECONDS", help="wait no longer than this")


def run(args: argparse.Namespace) -> int:
    """Wait for all of them."""
    settings = db_access.settings_of(args)
    with db_access.reading(settings.db) as conn:
        waiting = resolve_all(conn, args.sessions)
    deadline = None if args.timeout is None else time.monotonic() + args.timeout
    ended: dict[str, int] = {}
    with Tail(settings.db) as tail:
        while True:
            with db_access.reading(settings.db) as conn:
                for session_id in [one for one in waiting if one not in ended]:
                    code = exit_code_of(conn, session_id)
                    if code is None and _is_dead(get_session(conn, session_id).to_dict()):
                        say(f"{session_id} is marked running, but its process is gone; see `li state doctor`")
                        code = 1
                    if code is not None:
                        ended[session_id] = code
            left = _LOOK_AGAIN if deadline is None else min(_LOOK_AGAIN, deadline - time.monotonic())
            if len(ended) == len(waiting) or left <= 0:
                break
            tail.wait(left)
    if args.json:
        print_json({"schema_version": 1, "exit_codes": ended, "running": [one for one in waiting if one not in ended]})
    if len(ended) < len(waiting):
        say("the time is up, it still runs", quiet=args.quiet)
        return 124
    return next((ended[one] for one in waiting if ended[one]), 0)


def _is_dead(row: dict[str, object]) -> bool:
    _, proof = state_of(row, time.time())
    return proof is not None and proof.answer == "dead"
