"""`li state ls`: sessions, newest first. A table on a terminal, tab-separated lines in a pipe, JSON on request."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from lionstudio.cli._session.row import name_of, session_json
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, point_in_time, words
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import is_terminal, say, styles_for
from lionstudio.errors import NotFound
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind
from lionstudio.state.runs.run_list import Filters, Page, list_sessions

EXAMPLES = (
    ("li state ls --status running", "what runs now"),
    ("li state ls --since 2d --project website", "what happened in a project since the day before yesterday"),
    ("li state ls -q refactor --json", "sessions with that text in their name, agent or project, as JSON"),
    ("li state ls --limit 5000 --format ndjson", "many sessions, one JSON object a line"),
)
FORMATS = ("table", "tsv", "json", "ndjson")
_LARGEST_PAGE = 1000  # what one query is asked for; longer lists are read page by page

_FIRST_SESSION = """\
Nothing is recorded in {home} yet. Any Python program can record its agent:

    from lionstudio import record
    with record("my-agent") as run:
        run.user("hello")
        run.assistant("hi")
"""


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--limit", type=integer(1), default=50, metavar="N", help="how many sessions at most (%(default)s)")
    add("--status", choices=[*SessionStatus], metavar="S", help=f"only those that are {', '.join(SessionStatus)}")
    add("--kind", choices=[*InvocationKind], metavar="K", help=f"only one kind: {', '.join(InvocationKind)}")
    add("--project", type=words, metavar="P", help="only those of a project")
    add("--agent", type=words, metavar="A", help="only those of an agent")
    add("--source", choices=[*SourceKind], metavar="S", help=f"how they came in: {', '.join(SourceKind)}")
    add("--since", type=point_in_time, metavar="T", help="created since 2h, 14d or 2026-05-01")
    add(
        "-q",
        "--query",
        type=words,
        metavar="TEXT",
        help="only those with TEXT in name, agent, playbook, show or project",
    )
    add("--cursor", type=words, metavar="C", help="go on after an earlier page (its next_cursor)")
    add("--format", choices=FORMATS, help="table (on a terminal), tsv (in a pipe), json or ndjson")


def run(args: argparse.Namespace) -> int:
    """Print a page of sessions."""
    settings = db_access.settings_of(args)
    form = "json" if args.json else args.format or ("table" if is_terminal() else "tsv")
    page = _read(settings.db, args)
    if form == "json":
        _print_json(page)
    elif form == "ndjson":
        _print_ndjson(page)
    elif page.rows:
        _print_table(page, args) if form == "table" else _print_tsv(page)
    if not page.rows:
        _explain_nothing(settings.db, args)
    return 0


def _read(path: str, args: argparse.Namespace) -> Page:
    filters = Filters(
        status=args.status,
        kind=args.kind,
        source=args.source,
        project=args.project,
        agent=args.agent,
        since=args.since,
        text=args.query,
    )
    try:
        with db_access.reading(path) as conn:
            rows: list[dict[str, Any]] = []
            cursor = args.cursor
            while True:
                part = list_sessions(conn, filters, limit=min(args.limit - len(rows), _LARGEST_PAGE), cursor=cursor)
                rows += part.rows
                cursor = part.next_cursor
                if cursor is None or len(rows) >= args.limit:
                    return Page(rows, cursor)
    except NotFound:
        return Page([], None)  # nothing was recorded yet; that is an empty list and no mistake


def _print_json(page: Page) -> None:
    from lionstudio.cli._toolkit.json_output import print_json

    now = time.time()
    print_json({"sessions": [session_json(row, now) for row in page.rows], "next_cursor": page.next_cursor})


def _print_ndjson(page: Page) -> None:
    from lionstudio.cli._toolkit.json_output import SCHEMA_VERSION, to_json

    now = time.time()
    emit_lines(to_json({"schema_version": SCHEMA_VERSION, **session_json(row, now)}) for row in page.rows)


def _print_tsv(page: Page) -> None:
    emit_lines("\t".join(_plain_cells(row)) for row in page.rows)


def _plain_cells(row: dict[str, Any]) -> Iterator[str]:
    for value in (
        row["id"],
        row["status"],
        iso(row["created_at"]),
        row["invocation_kind"],
        name_of(row),
        row["message_count"],
        row["cost_microusd"],
        row["model"],
        row["project"],
    ):
        yield "" if value is None else inline(str(value))


def _print_table(page: Page, args: argparse.Namespace) -> None:
    from lionstudio.cli._session.table import session_table

    emit(session_table(page.rows, time.time(), styles_for(sys.stdout, refused=args.no_color)))
    if page.next_cursor:
        say(f"\nThere are more: --limit {args.limit * 10}, or --cursor '{page.next_cursor}'", quiet=args.quiet)


def _explain_nothing(path: str, args: argparse.Namespace) -> None:
    filtered = (args.status, args.kind, args.source, args.project, args.agent, args.since, args.query, args.cursor)
    if any(given is not None for given in filtered) and os.path.exists(path):
        say("No session matches.", quiet=args.quiet)
    else:
        say(_FIRST_SESSION.format(home=inline(os.path.dirname(path))), quiet=args.quiet)
