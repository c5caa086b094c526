"""`li state export`: one session, whole, for another program or for a person to read."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import words
from lionstudio.cli._toolkit.escape import body, in_json, inline
from lionstudio.cli._toolkit.humanize import size
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.state.messages.export import FORMATS, export
from lionstudio.state.sessions import resolve_session

EXAMPLES = (
    ("li state export 019e2f3c > session.json", "everything, as one JSON document"),
    ("li state export my-agent --format md --output report.md", "the newest session of that name, to be read"),
    ("li state export 019e2f3c --format jsonl | grep ActionRequest", "one record a line: session, branches, messages"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", type=words, metavar="SESSION", help="an id, the beginning of one, or a name")
    parser.add_argument("--format", choices=FORMATS, default="json", help="json, jsonl or md (%(default)s)")
    parser.add_argument("--output", metavar="FILE", help="write to a file instead of standard output")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")


def run(args: argparse.Namespace) -> int:
    """Write the session; a file appears only when it is whole."""
    with db_access.reading(db_access.settings_of(args).db) as conn:
        session_id = resolve_session(conn, args.session)
        conn.execute("BEGIN")  # as of one moment, however long the writing takes
        pieces = _safe(export(conn, session_id, args.format), args.format)
        if args.output in (None, "-"):
            for piece in pieces:
                emit(piece)
            return 0
        from lionstudio.cli._toolkit.write_file import write_file

        target = os.path.abspath(args.output)
        written = write_file(target, pieces, replace=args.force)
    say(f"{size(written)} written to {inline(target)}", quiet=args.quiet)
    return 0


def _safe(pieces: Iterator[str], form: str) -> Iterator[str]:
    """Stored text cannot command a terminal, in whichever way the export is looked at."""
    return map(body if form == "md" else in_json, pieces)
