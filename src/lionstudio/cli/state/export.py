"""`li state export`: write one session as HTML or Markdown for people, or as JSON or JSON Lines for programs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import SESSION_HELP, utf8
from lionstudio.cli._toolkit.escape import body, in_json, inline
from lionstudio.cli._toolkit.humanize import size
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.state.messages.export import FORMATS, export
from lionstudio.state.runs.reference import resolve_session

EXAMPLES = (
    ("li state export 019e2f3c > session.json", "one JSON document"),
    ("li state export last --format html --output run.html", "the newest session as one page to share"),
    ("li state export last --format md --output report.md", "the newest session, as Markdown"),
    (
        "li state export 019e2f3c --format jsonl | grep ActionRequest",
        "one record per line: session, branches, messages",
    ),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", type=utf8, metavar="SESSION", help=SESSION_HELP)
    parser.add_argument("--format", choices=FORMATS, default="json", help="output format (default %(default)s)")
    parser.add_argument("--output", metavar="FILE", help="write to FILE (default: stdout)")
    parser.add_argument("--force", action="store_true", help="replace an existing file")


def run(args: argparse.Namespace) -> int:
    """A file appears only when it is complete."""
    with db_access.reading(db_access.settings_of(args).db) as conn:
        session_id = resolve_session(conn, args.session)
        conn.execute("BEGIN")  # one snapshot, however long the export takes
        pieces = _safe(export(conn, session_id, args.format), args.format)
        if args.output in (None, "-"):
            for piece in pieces:
                emit(piece)
            return 0
        from lionstudio.system.atomic_write import write_file

        target = os.path.abspath(args.output)
        size_bytes = write_file(target, pieces, replace=args.force)
    say(f"Wrote {size(size_bytes)} to {inline(target)}", quiet=args.quiet)
    return 0


def _safe(pieces: Iterator[str], file_format: str) -> Iterator[str]:
    """Escape stored text, so that printing the export cannot control a terminal."""
    return map(body if file_format in ("md", "html") else in_json, pieces)
