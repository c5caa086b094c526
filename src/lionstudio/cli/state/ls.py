"""`li state ls`: list sessions, newest first: a table on a terminal, tab-separated lines in a pipe, or JSON."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from lionstudio.cli._session.row import session_json
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, point_in_time, utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import is_terminal, say, styles_for
from lionstudio.errors import NotFound
from lionstudio.model.run_name import run_name
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind
from lionstudio.state.runs.run_list import Filters, Page, list_sessions

EXAMPLES = (
    ("li state ls --status running", "active sessions"),
    ("li state ls --since 2d --project website", "sessions of a project in the last two days"),
    ("li state ls -q refactor --json", "sessions with this text in their name, agent or project"),
    ("li state ls --limit 5000 --format ndjson", "many sessions, one JSON object per line"),
)
FORMATS = ("table", "tsv", "json", "ndjson")
_LARGEST_PAGE = 1000  # rows per query; longer lists take several

_FIRST_SESSION = """\
No sessions in {home} yet. Run an agent with `li agent script "@say hello"`, import transcripts with
`li mirror claude`, or record from Python:

    from lionstudio import record
    with record("my-agent") as run:
        run.user("hello")
        run.assistant("hi")
"""


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--limit", type=integer(1), default=50, metavar="N", help="maximum number of sessions (default %(default)s)")
    add("--status", choices=[*SessionStatus], metavar="S", help=f"only this status: {', '.join(SessionStatus)}")
    add("--kind", choices=[*InvocationKind], metavar="K", help=f"only this kind: {', '.join(InvocationKind)}")
    add("--project", type=utf8, metavar="P", help="only this project")
    add("--agent", type=utf8, metavar="A", help="only this agent")
    add("--source", choices=[*SourceKind], metavar="S", help=f"only this source: {', '.join(SourceKind)}")
    add("--since", type=point_in_time, metavar="T", help="only sessions created since T: 2h, 14d, 2026-05-01")
    add(
        "-q",
        "--query",
        type=utf8,
        metavar="TEXT",
        help="only sessions with TEXT in name, agent, playbook, show or project",
    )
    add("--cursor", type=utf8, metavar="C", help="continue after an earlier page (its next_cursor)")
    add("--format", choices=FORMATS, help="output format (default: table on a terminal, tsv in a pipe)")


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    output = "json" if args.json else args.format or ("table" if is_terminal() else "tsv")
    page = _read(settings.db, args)
    if output == "json":
        _print_json(page)
    elif output == "ndjson":
        _print_ndjson(page)
    elif page.rows:
        _print_table(page, args) if output == "table" else _print_tsv(page)
    if not page.rows:
        _explain_empty(settings.db, args)
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
        return Page([], None)  # no database yet: an empty list, not an error


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
        run_name(row),
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
        say(f"\nMore sessions: --limit {args.limit * 10} or --cursor '{page.next_cursor}'", quiet=args.quiet)


def _explain_empty(path: str, args: argparse.Namespace) -> None:
    filters = (args.status, args.kind, args.source, args.project, args.agent, args.since, args.query, args.cursor)
    if any(value is not None for value in filters) and os.path.exists(path):
        say("No sessions match these filters.", quiet=args.quiet)
    else:
        say(_FIRST_SESSION.format(home=inline(os.path.dirname(path))), quiet=args.quiet)
