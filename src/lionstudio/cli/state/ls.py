"""`li state ls`: list sessions, newest first or by another column, as a table, tab-separated lines or JSON."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from lionstudio.cli._session.row import session_json
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import comma_list, integer, point_in_time, utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import is_terminal, say, styles_for
from lionstudio.errors import NotFound
from lionstudio.model.run_name import run_name
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind
from lionstudio.settings import is_url
from lionstudio.state.backends import exists
from lionstudio.state.runs.run_list import Filters, Page, list_sessions
from lionstudio.state.runs.run_order import ListOrder, Order, Sort

EXAMPLES = (
    ("li state ls --status running", "active sessions"),
    ("li state ls --sort cost --since 7d", "the most expensive sessions of the last week"),
    ("li state ls --status failed --status timed_out", "sessions with one of several statuses"),
    ("li state ls --since 2d --project website", "sessions of a project in the last two days"),
    ("li state ls --tag customer", "sessions with a tag of `li state tag`"),
    ("li state ls -q refactor --json", "sessions with this text in their name, agent or project"),
    ("li state ls --limit 5000 --format ndjson", "many sessions, one JSON object per line"),
)
_FILTERS = ("status", "kind", "source", "project", "agent", "playbook", "show", "model", "tag", "machine")
_NAMES = (
    ("--project", "P"),
    ("--agent", "AGENT"),
    ("--playbook", "PLAYBOOK"),
    ("--show", "TOPIC"),
    ("--model", "MODEL"),
    ("--machine", "MACHINE"),
)
FORMATS = ("table", "tsv", "json", "ndjson")
_LARGEST_PAGE = 1000  # rows per query; longer lists take several

_FIRST_SESSION = """\
No sessions in {place} yet. Three ways to the first ones:

    li agent script "@say hi"    run the scripted agent
    li mirror claude             import your Claude Code transcripts
    li demo                      watch a show of eight scripted agents
"""


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--limit", type=integer(1), default=50, metavar="N", help="maximum number of sessions (default %(default)s)")
    for option, codes in (("--status", SessionStatus), ("--kind", InvocationKind), ("--source", SourceKind)):
        add(
            option,
            dest=f"only_{option[2:]}",
            action="extend",
            type=comma_list,
            choices=[*codes],
            metavar="CODE",
            help=f"only this {option[2:]}, or several (repeated, or separated by commas): {', '.join(codes)}",
        )
    add(
        "--tag",
        dest="only_tag",
        action="extend",
        type=comma_list,
        metavar="TAG",
        help="only sessions with this tag, or with one of several",
    )
    for option, value in _NAMES:
        # `project` is a setting of other commands
        word = option[2:]
        add(
            option, dest=f"only_{word}", action="append", type=utf8, metavar=value, help=f"only this {word}; repeatable"
        )
    add(
        "--since",
        type=point_in_time,
        metavar="T",
        help="only sessions created since T: 2h, 14d, today, yesterday, 2026-05-01",
    )
    add("--until", type=point_in_time, metavar="T", help="only sessions created before T")
    add(
        "-q",
        "--query",
        type=utf8,
        metavar="TEXT",
        help="only sessions with TEXT in name, agent, playbook, show or project, or with an id that starts with it",
    )
    add("--sort", choices=[*Sort], default=Sort.CREATED, metavar="COLUMN", help=f"sort by {', '.join(Sort)}")
    add("--order", choices=[*Order], default=Order.DESC, metavar="ORDER", help="asc or desc (default %(default)s)")
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
    chosen: dict[str, Any] = {name: tuple(values) for name in _FILTERS if (values := getattr(args, f"only_{name}"))}
    filters = Filters(since=args.since, until=args.until, text=args.query)._replace(**chosen)
    order = ListOrder(Sort(args.sort), Order(args.order))
    try:
        with db_access.reading(path) as conn:
            if args.only_machine:
                from lionstudio.state.hub.machines import find_machine_ids  # not at the start of every list

                machines = (id_ for text in args.only_machine for id_ in find_machine_ids(conn, text))
                filters = filters._replace(machine=tuple(machines))
            rows: list[dict[str, Any]] = []
            cursor = args.cursor
            while True:
                limit = min(args.limit - len(rows), _LARGEST_PAGE)
                part = list_sessions(conn, filters, limit=limit, cursor=cursor, order=order)
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
    from lionstudio.cli._session.table import session_table, total_line

    emit(session_table(page.rows, time.time(), styles_for(sys.stdout, refused=args.no_color)))
    more = f"; more with --limit {args.limit * 10} or --cursor '{page.next_cursor}'" if page.next_cursor else ""
    say(f"\n{total_line(page.rows)}{more}", quiet=args.quiet or not is_terminal())


def _explain_empty(path: str, args: argparse.Namespace) -> None:
    names = (*(f"only_{name}" for name in _FILTERS), "since", "until", "query", "cursor")
    filters = [getattr(args, name) for name in names]
    if any(value is not None for value in filters) and exists(path):
        say("No sessions match these filters.", quiet=args.quiet)
    else:
        place = path if is_url(path) else os.path.dirname(path)
        say(_FIRST_SESSION.format(place=inline(place)), quiet=args.quiet)
