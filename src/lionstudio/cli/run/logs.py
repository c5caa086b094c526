"""`li logs`: what a run says, from any terminal, while it says it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from lionstudio.cli._session.row import state_of
from lionstudio.cli._session.transcript import Shown, plain_lines, transcript
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, words
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit, emit_lines, flush
from lionstudio.cli._toolkit.terminal import Paint, is_terminal, say, styles_for
from lionstudio.cli.run._targets import exit_code_of
from lionstudio.state.connection import Connection
from lionstudio.state.messages.windows import WindowMessage, messages_after, messages_before
from lionstudio.state.sessions import get_session, resolve_session
from lionstudio.state.sqlite.tail import Tail

DESCRIPTION = """\
Print the messages of a session; with -f go on while it runs, within a blink of each being kept. In a pipe it is a
message a line: number, time, role, tool and text, with tabs between."""
EXAMPLES = (
    ("li logs 019e2f3c", "its last messages"),
    ("li logs -f my-agent", "follow the newest run of that name until it ends"),
    ("li logs my-agent --last 1000 | cut -f3 | sort | uniq -c", "who spoke how often"),
    ("li logs -f 019e2f3c --json | jq .role", "the same for a program, one message a line"),
)
_CHUNK = 200
_LOOK_AGAIN = 5.0  # seconds between two looks whether the process lives; messages come by themselves


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li logs`."""
    add = parser.add_argument
    add("session", type=words, metavar="SESSION", help="an id, the beginning of one, or a name")
    add("-f", "--follow", action="store_true", help="go on until the run ends")
    add("--last", type=integer(0), default=20, metavar="N", help="begin with so many messages (20)")
    add("--full", action="store_true", help="do not fold long messages")


def run(args: argparse.Namespace) -> int:
    """Print, and follow; the exit code of a followed run is its own."""
    db = db_access.settings_of(args).db
    paint = styles_for(sys.stdout, refused=args.no_color)
    with Tail(db) as tail, db_access.reading(db) as conn:  # listening first: nothing falls in between
        session_id = resolve_session(conn, args.session)
        first = messages_before(conn, session_id, 2**62, args.last) if args.last else []
        _print(first, args, paint)
        after = first[-1].ord if first else get_session(conn, session_id).message_count - 1
        if not args.follow:
            return 0
        return _follow(conn, tail, session_id, after, args, paint)


def _follow(conn: Connection, tail: Tail, session_id: str, after: int, args: argparse.Namespace, paint: Paint) -> int:
    while True:
        code = exit_code_of(conn, session_id)  # looked at before the messages: the last ones come before the end
        for chunk in _new(conn, session_id, after):
            _print(chunk, args, paint)
            after = chunk[-1].ord
        if code is not None:
            say(f"it ended: {get_session(conn, session_id).status}, exit code {code}", quiet=args.quiet or args.json)
            return code
        _, proof = state_of(get_session(conn, session_id).to_dict(), time.time())
        if proof is not None and proof.answer == "dead":
            say("it is marked running, but its process is gone; see `li state doctor`")
            return 1
        tail.wait(_LOOK_AGAIN)


def _new(conn: Connection, session_id: str, after: int) -> Iterator[list[WindowMessage]]:
    while chunk := messages_after(conn, session_id, after, _CHUNK):
        yield chunk
        after = chunk[-1].ord


def _print(found: list[WindowMessage], args: argparse.Namespace, paint: Paint) -> None:
    if args.json:
        for item in found:
            record = item.message.to_dict("json") if item.message else {"id": item.message_id, "missing": True}
            at = {"created_at_iso": iso(item.message.created_at)} if item.message else {}
            emit(to_json({"schema_version": 1, "ord": item.ord, **record, **at}) + "\n")
    elif found:
        shown = [Shown(item.ord, item.message_id, item.message) for item in found]
        emit_lines(transcript(shown, paint, full=args.full) if is_terminal() else plain_lines(shown, full=args.full))
    flush()
