"""`li wait`: wait until runs end."""

from __future__ import annotations

import argparse
import time

from lionstudio.cli._session.row import state_of
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import SESSION_HELP, integer, utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run._targets import exit_code_of, resolve_all
from lionstudio.model.questions import Question
from lionstudio.state.backends import open_tail
from lionstudio.state.exchange.questions import list_open_questions
from lionstudio.state.sessions import get_session

DESCRIPTION = """\
Wait until sessions end. The exit code is that of the first session that did not complete, 0 if all completed, and 124
after a timeout. A run whose process is proven dead counts as ended with exit code 1. A run that waits for a person is
named on stderr, with the command that answers it."""
EXAMPLES = (
    ("li wait 019e2f3c && echo done", "continue after a run completed"),
    ("li wait a-run another --timeout 600", "several runs, for at most ten minutes"),
)
_CHECK_SECONDS = 5.0  # seconds between two liveness checks; changes wake the loop earlier


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sessions", nargs="+", type=utf8, metavar="SESSION", help=SESSION_HELP)
    parser.add_argument(
        "--timeout", type=integer(1), metavar="SECONDS", help="longest time to wait (default: no limit)"
    )


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    with db_access.reading(settings.db) as conn:
        session_ids = resolve_all(conn, args.sessions)
    deadline = None if args.timeout is None else time.monotonic() + args.timeout
    ended: dict[str, int] = {}
    announced: set[str] = set()  # questions
    with open_tail(settings.db) as tail:
        while True:
            with db_access.reading(settings.db) as conn:
                for session_id in [session_id for session_id in session_ids if session_id not in ended]:
                    code = exit_code_of(conn, session_id)
                    if code is None and _is_dead(get_session(conn, session_id).to_dict()):
                        say(f"{session_id} is marked running, but its process is gone. Check: li state doctor")
                        code = 1
                    if code is not None:
                        ended[session_id] = code
                    for question in list_open_questions(conn, 1, session_id=session_id):
                        if question.id not in announced:
                            announced.add(question.id)
                            say(_waits(question), quiet=args.quiet)
            remaining = _CHECK_SECONDS if deadline is None else min(_CHECK_SECONDS, deadline - time.monotonic())
            if len(ended) == len(session_ids) or remaining <= 0:
                break
            tail.wait(remaining)
    if args.json:
        running = [session_id for session_id in session_ids if session_id not in ended]
        print_json({"schema_version": 1, "exit_codes": ended, "running": running})
    if len(ended) < len(session_ids):
        say(f"Timeout after {args.timeout} s: still running", quiet=args.quiet)
        return 124
    return next((ended[session_id] for session_id in session_ids if ended[session_id]), 0)


def _waits(question: Question) -> str:
    answer = f"li ask answer {question.id}"
    return f"{question.session_id} waits for a person: {inline(question.title)}. Answer: {answer}"


def _is_dead(row: dict[str, object]) -> bool:
    _, proof = state_of(row, time.time())
    return proof is not None and proof.answer == "dead"
