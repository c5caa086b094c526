"""`li state note`: print or set the note of a session."""

from __future__ import annotations

import argparse
import sys

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import body
from lionstudio.cli._toolkit.output import emit
from lionstudio.state.runs.labels import MAX_NOTE, set_note
from lionstudio.state.runs.reference import resolve_sessions
from lionstudio.state.sessions import get_session

DESCRIPTION = "Set the note of a session, or print it. An empty text removes it; - reads stdin."
EXAMPLES = (
    ('li state note 019e2f3c "asked for by the design team"', "replace the note"),
    ("git log -1 | li state note 019e2f3c -", "a note from stdin"),
    ("li state note 019e2f3c", "print the note"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", type=utf8, metavar="SESSION", help="session id, its start, or a name")
    parser.add_argument("text", nargs="?", type=utf8, metavar="TEXT", help="the note; - reads stdin, empty removes it")


def run(args: argparse.Namespace) -> int:
    path = db_access.settings_of(args).db
    if args.text is None:
        with db_access.reading(path) as conn:
            [session_id] = resolve_sessions(conn, [args.session])
            note = get_session(conn, session_id).note
    else:
        text = _read_stdin() if args.text == "-" else args.text
        with db_access.database(path, quiet=args.quiet) as database:
            [session_id] = resolve_sessions(database.conn, [args.session])
            database.write(lambda conn: set_note(conn, session_id, text))
            note = get_session(database.conn, session_id).note
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"id": session_id, "note": note})
    elif note:
        emit(body(note) + "\n")
    return 0


def _read_stdin() -> str:
    return sys.stdin.buffer.read(4 * MAX_NOTE + 1).decode("utf-8", "backslashreplace")
