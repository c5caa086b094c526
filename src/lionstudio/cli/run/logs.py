"""`li logs`: print or follow the messages of a session."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from lionstudio.cli._session.row import state_of
from lionstudio.cli._session.transcript import Shown, plain_lines, transcript
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import SESSION_HELP, integer, utf8
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit, emit_lines, flush
from lionstudio.cli._toolkit.terminal import Paint, is_terminal, say, styles_for
from lionstudio.cli.run._targets import exit_code_of
from lionstudio.state.backends import open_tail
from lionstudio.state.connection import Connection
from lionstudio.state.messages.windows import WindowMessage, messages_after, messages_before
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.sessions import get_session
from lionstudio.state.sqlite.tail import Tail

DESCRIPTION = """\
Print the last messages of a session; with -f also new ones as they are recorded, until the run ends. In a pipe, each
message is one line of tab-separated fields: number, time, role, tool and text."""
EXAMPLES = (
    ("li logs 019e2f3c", "the last messages"),
    ("li logs -f last", "follow the newest run until it ends"),
    ("li logs my-agent --last 1000 | cut -f3 | sort | uniq -c", "count messages by role"),
    ("li logs -f 019e2f3c --json | jq .role", "for a program: one JSON object per line"),
)
_CHUNK = 200
_CHECK_SECONDS = 5.0  # seconds between two liveness checks; new messages wake the loop earlier


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("session", type=utf8, metavar="SESSION", help=SESSION_HELP)
    add("-f", "--follow", action="store_true", help="print new messages until the run ends")
    add(
        "--last",
        type=integer(0),
        default=20,
        metavar="N",
        help="number of recent messages to print first (default %(default)s)",
    )
    add("--full", action="store_true", help="print long messages in full")


def run(args: argparse.Namespace) -> int:
    """The exit code of a followed run is the run's."""
    db = db_access.settings_of(args).db
    paint = styles_for(sys.stdout, refused=args.no_color)
    with open_tail(db) as tail, db_access.reading(db) as conn:  # listen before reading, so that no message is missed
        session_id = resolve_session(conn, args.session)
        first = messages_before(conn, session_id, 2**62, args.last) if args.last else []
        _print(first, args, paint)
        after = first[-1].ord if first else get_session(conn, session_id).message_count - 1
        if not args.follow:
            return 0
        return _follow(conn, tail, session_id, after, args, paint)


def _follow(conn: Connection, tail: Tail, session_id: str, after: int, args: argparse.Namespace, paint: Paint) -> int:
    while True:
        code = exit_code_of(conn, session_id)  # read before the messages: the last ones are written before the end
        for chunk in _new(conn, session_id, after):
            _print(chunk, args, paint)
            after = chunk[-1].ord
        if code is not None:
            say(f"Run ended: {get_session(conn, session_id).status}, exit code {code}", quiet=args.quiet or args.json)
            return code
        _, proof = state_of(get_session(conn, session_id).to_dict(), time.time())
        if proof is not None and proof.answer == "dead":
            say("The run is marked running, but its process is gone. Check: li state doctor")
            return 1
        tail.wait(_CHECK_SECONDS)


def _new(conn: Connection, session_id: str, after: int) -> Iterator[list[WindowMessage]]:
    while chunk := messages_after(conn, session_id, after, _CHUNK):
        yield chunk
        after = chunk[-1].ord


def _print(messages: list[WindowMessage], args: argparse.Namespace, paint: Paint) -> None:
    if args.json:
        for item in messages:
            record = item.message.to_dict("json") if item.message else {"id": item.message_id, "missing": True}
            at = {"created_at_iso": iso(item.message.created_at)} if item.message else {}
            emit(to_json({"schema_version": 1, "ord": item.ord, **record, **at}) + "\n")
    elif messages:
        shown = [Shown(item.ord, item.message_id, item.message) for item in messages]
        printed = transcript(shown, paint, full=args.full, full_output=True)
        emit_lines(printed if is_terminal() else plain_lines(shown, full=args.full))
    flush()
