"""`li send`: write to a running agent."""

from __future__ import annotations

import argparse
import math
import sys
import time

from lionstudio.agents.dialog import MAX_TEXT, Delivery
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import SESSION_HELP, integer, utf8
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.ask._answer import RECEIPT_SECONDS
from lionstudio.cli.talk._sender import sender_of
from lionstudio.errors import InvalidInput
from lionstudio.model.messages import Message
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.talk.send import send_to_session, words_of_agent
from lionstudio.state.backends import open_tail
from lionstudio.state.exchange.mailboxes import find_taken
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.sessions import get_session
from lionstudio.state.sqlite.tail import Tail

DESCRIPTION = """\
Write to a running agent. The message is stored in the inbox of its session when the command returns, and survives a
crash; `taken at #N` means that the agent has it, as message N of the run. An agent may write to other sessions, only
under its own name.

Exit codes: 0 queued or taken; 1 the run has ended, or ended before it took the message (--wait); 2 wrong arguments;
3 not found; 124 not taken in the time of --wait."""
EXAMPLES = (
    ('li send 019e2f3c "the tests are in tests/unit"', "into the running turn, where the program can"),
    ('li send last --next "then update the changelog"', "after the running turn"),
    ('li send last --instead "stop, and explain first"', "interrupt the running turn"),
    ("git diff | li send 019e2f3c - --wait", "read the text from stdin, and wait until the agent has it"),
)
_TIMED_OUT = 124


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("session", type=utf8, metavar="SESSION", help=SESSION_HELP)
    add("text", type=utf8, metavar="TEXT", help="message text; - reads stdin")
    when = parser.add_mutually_exclusive_group()
    for delivery, meaning in (
        (Delivery.NOW, "into the running turn (default, where the program can)"),
        (Delivery.NEXT, "after the running turn"),
        (Delivery.INSTEAD, "interrupt the running turn"),
    ):
        when.add_argument(f"--{delivery}", dest="delivery", action="store_const", const=delivery, help=meaning)
    add("--as", dest="sender", type=utf8, metavar="NAME", help="name of the sender (default: your user name)")
    add(
        "--wait",
        type=integer(1),
        nargs="?",
        const=math.inf,
        metavar="SECONDS",
        help="wait until the agent has taken it, for at most this time (default: no limit)",
    )


def run(args: argparse.Namespace) -> int:
    db = db_access.settings_of(args).db
    with db_access.reading(db) as conn:
        session_id = resolve_session(conn, args.session)
    sender = sender_of(args, session_id, args.sender)
    text = read_stdin(MAX_TEXT) if args.text == "-" else args.text
    if sender.startswith("agent "):
        text = words_of_agent(sender, text)
    with open_tail(db) as tail:
        with db_access.database(db, quiet=args.quiet) as database:
            message = database.write(
                lambda conn: send_to_session(conn, session_id, text, sender=sender, delivery=args.delivery)
            )
        if not args.json:
            emit(f"Queued: {message.metadata['delivery']}\n")
            flush()
        taken, ended = wait_until_taken(db, tail, session_id, message, args.wait or RECEIPT_SECONDS)
    return _report(session_id, message, taken, args, ended=ended)


def wait_until_taken(db: str, tail: Tail, session_id: str, message: Message, seconds: float) -> tuple[int | None, bool]:
    """The number of the message in the session, None when it was not taken; and whether the run has ended."""
    deadline = time.monotonic() + seconds
    while True:
        with db_access.reading(db) as conn:
            ended = get_session(conn, session_id).status is not SessionStatus.RUNNING
            taken = find_taken(conn, message.id)  # read after the end: the last messages are written before it
        remaining = deadline - time.monotonic()
        if taken is not None or ended or remaining <= 0:
            return None if taken is None else taken[1], ended
        tail.wait(min(remaining, 5.0))


def _report(session_id: str, message: Message, taken: int | None, args: argparse.Namespace, *, ended: bool) -> int:
    if args.json:
        fields = {"id": message.id, "session_id": session_id, "sender": message.sender, "text": message.text}
        times = {"created_at": message.created_at, "created_at_iso": iso(message.created_at)}
        status = "taken" if taken is not None else "not_taken" if ended else "queued"
        delivery = message.metadata["delivery"]
        print_json({"message": {**fields, **times, "delivery": delivery, "status": status, "taken_ord": taken}})
    elif taken is not None:
        emit(f"Taken at #{taken}\n")
    elif ended:
        say(f"The run ended before its agent took the message. It is kept: li state show {session_id}")
    if taken is not None:
        return 0
    return 1 if ended else _TIMED_OUT if args.wait is not None else 0


def read_stdin(most: int) -> str:
    """The text on stdin; of a longer one a little more than `most` characters, so that it is refused."""
    content = sys.stdin.buffer.read(4 * most + 1)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InvalidInput("stdin is not UTF-8", hint="convert the text to UTF-8") from None
