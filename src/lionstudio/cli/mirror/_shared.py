"""What the mirrors of all tools share: their options, the progress bar, and the report."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit, emit_lines, flush
from lionstudio.cli._toolkit.progress import progress_when_known
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import NotFound
from lionstudio.imports.report import ItemOutcome, Report, Watch
from lionstudio.imports.transcripts.follow import follow
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.imports.transcripts.tools import Tool
from lionstudio.state.database import Database
from lionstudio.state.sqlite.maintenance import tune_for_import

_MOST_SHOWN = 20  # files that could not be read, or lines of them; --json has all


def register(parser: argparse.ArgumentParser, tool: Tool) -> None:
    """Add the options that every mirror has."""
    add = parser.add_argument
    add("--root", metavar="DIR", help=f"the folder of {tool.title} ({tool.variable}, {tool.folder})")
    add("--follow", action="store_true", help="go on while it is written to, until Ctrl-C")
    add("--dry-run", action="store_true", help="say what is new, and write nothing")


def run(args: argparse.Namespace, tool: Tool) -> int:
    """Mirror once, or follow."""
    root = os.path.realpath(os.path.expanduser(args.root)) if args.root else tool.root()
    if not os.path.isdir(root) and not args.follow:
        raise NotFound(f"there is no folder of {tool.title} at {root}", hint=f"--root DIR, or set {tool.variable}")
    path = db_access.settings_of(args).db
    if args.dry_run:
        return _preview(args, tool, root, path)
    with db_access.database(path, create=True, quiet=args.quiet) as database:
        if args.follow:
            return _follow(args, tool, root, database)
        return _once(args, tool, root, database)


def _once(args: argparse.Namespace, tool: Tool, root: str, database: Database) -> int:
    tune_for_import(database.conn)
    report = Report()
    try:
        with _bar(args, tool) as watch:
            Mirror(database, tool, root, watch=watch).run(report)
    except KeyboardInterrupt:
        say("Interrupted; what was read is kept, and the next run goes on from there.", quiet=args.quiet)
        _print(report, args, tool, root)
        raise
    _print(report, args, tool, root)
    return 1 if report.nothing_readable else 0


def _preview(args: argparse.Namespace, tool: Tool, root: str, path: str) -> int:
    report = Report()
    with _existing(path) as database, _bar(args, tool) as watch:
        Mirror(database, tool, root, watch=watch).preview(report)
    _print(report, args, tool, root)
    return 0


@contextmanager
def _existing(path: str) -> Iterator[Database]:
    """The database, or an empty one for the time of a look: a dry run makes none."""
    if os.path.exists(path):
        with db_access.database(path) as database:
            yield database
        return
    with tempfile.TemporaryDirectory() as folder, Database(os.path.join(folder, "state.db")) as database:
        yield database


def _follow(args: argparse.Namespace, tool: Tool, root: str, database: Database) -> int:
    database.start_checkpointer()
    try:
        with _bar(args, tool) as watch:
            reports = follow(Mirror(database, tool, root, watch=watch), tool, root)
            first = next(reports)
        _print(first, args, tool, root)
        say(f"Following {root}. Ctrl-C stops.", quiet=args.quiet)
        flush()
        for report in reports:
            _print_news(report, args, tool, root)
    except KeyboardInterrupt:
        return 0  # that is how it is meant to end
    return 0


def _bar(args: argparse.Namespace, tool: Tool) -> AbstractContextManager[Watch]:
    home = None if args.dry_run else db_access.settings_of(args).home
    return progress_when_known(f"Reading {tool.title}, kB", quiet=args.quiet, unit=1000, home=home)


def _wire(report: Report, args: argparse.Namespace, tool: Tool, root: str) -> dict[str, object]:
    found = report.to_dict()
    found.pop("tables_left_out", None)
    return {"tool": tool.name, "root": root, "dry_run": args.dry_run, **found}


def _print(report: Report, args: argparse.Namespace, tool: Tool, root: str) -> None:
    if args.json:
        _print_json(_wire(report, args, tool, root), one_line=args.follow)
        return
    fresh, longer = report.total(ItemOutcome.IMPORTED), report.total(ItemOutcome.UPDATED)
    would = "would be read" if args.dry_run else "read"
    emit(
        f"{tool.title}: {count(report.messages, 'new message')} {would} from {count(fresh, 'new transcript')} and "
        f"{longer:,} that grew; {report.total(ItemOutcome.UNCHANGED):,} had nothing new.\n"
    )
    complaints = [item for item in report.items if item.reason]
    emit_lines(f"  {inline(item.name)}: {inline(item.reason or '')}" for item in complaints[:_MOST_SHOWN])
    if len(complaints) > _MOST_SHOWN:
        emit(f"  … and {len(complaints) - _MOST_SHOWN:,} more; --json lists them all.\n")


def _print_news(report: Report, args: argparse.Namespace, tool: Tool, root: str) -> None:
    if args.json:
        _print_json(_wire(report, args, tool, root), one_line=True)
        return
    now = time.strftime("%H:%M:%S")
    for item in report.items:
        if item.messages or item.reason:
            said = f"+{count(item.messages, 'message')}" if item.messages else inline(item.reason or "")
            emit(f"{now}  {said}  {inline(item.name)}\n")
    flush()


def _print_json(found: dict[str, object], *, one_line: bool) -> None:
    from lionstudio.cli._toolkit.json_output import SCHEMA_VERSION, print_json, to_json

    if one_line:
        emit(to_json({"schema_version": SCHEMA_VERSION, **found}) + "\n")
        flush()
    else:
        print_json(found)
