"""`li mirror TOOL`: import the transcripts of a registered tool, once or continuously."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from lionstudio.agents.transcript import TranscriptTool
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
from lionstudio.imports.transcripts.tools import TOOLS
from lionstudio.state.database import Database
from lionstudio.state.sqlite.maintenance import tune_for_import

_MAX_SHOWN = 20  # unreadable files or lines; --json has all of them


class MirrorCommand:
    """The command of one tool, in the shape of a command module."""

    def __init__(self, name: str) -> None:
        self._tool = tool = TOOLS[name]
        self.DESCRIPTION = (
            f"Import the transcripts of {tool.title}: a conversation becomes a session, a sub-agent a branch of it. "
            f"A repeated run reads only new messages; transcripts that {tool.title} deletes stay in the database. "
            f"docs/how-to/import-{name}.md describes the format."
        )
        self.EXAMPLES: tuple[tuple[str, str], ...] = (
            (f"li mirror {name}", "import all new messages once"),
            (f"li mirror {name} --follow", "continue with new messages until Ctrl-C"),
            (f"li mirror {name} --dry-run", "report new messages without importing them"),
            (f"li mirror {name} --root /backup/{os.path.basename(tool.home)}", "the home of another user or machine"),
        )

    def register(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command."""
        add, tool = parser.add_argument, self._tool
        add("--root", metavar="DIR", help=f"home of {tool.title} (default {tool.home_variable} or {tool.home})")
        add("--follow", action="store_true", help="continue with new messages until Ctrl-C")
        add("--dry-run", action="store_true", help="report new messages without importing them")

    def run(self, args: argparse.Namespace) -> int:
        """Import once, or follow."""
        return _run(args, self._tool)


def _run(args: argparse.Namespace, tool: TranscriptTool) -> int:
    root = os.path.realpath(os.path.expanduser(args.root)) if args.root else tool.root()
    if not os.path.isdir(root) and not args.follow:
        raise NotFound(
            f"the home of {tool.title} does not exist: {root}", hint=f"pass --root DIR or set {tool.home_variable}"
        )
    path = db_access.settings_of(args).db
    if args.dry_run:
        return _preview(args, tool, root, path)
    with db_access.database(path, create=True, quiet=args.quiet) as database:
        if args.follow:
            return _follow(args, tool, root, database)
        return _once(args, tool, root, database)


def _once(args: argparse.Namespace, tool: TranscriptTool, root: str, database: Database) -> int:
    tune_for_import(database.conn)
    report = Report()
    try:
        with _bar(args, tool) as watch:
            Mirror(database, tool, root, watch=watch).run(report)
    except KeyboardInterrupt:
        say("Interrupted. TeamImport messages are kept; run the command again to continue.", quiet=args.quiet)
        _print(report, args, tool, root)
        raise
    _print(report, args, tool, root)
    return 1 if report.nothing_readable else 0


def _preview(args: argparse.Namespace, tool: TranscriptTool, root: str, path: str) -> int:
    report = Report()
    with _existing(path) as database, _bar(args, tool) as watch:
        Mirror(database, tool, root, watch=watch).preview(report)
    _print(report, args, tool, root)
    return 0


@contextmanager
def _existing(path: str) -> Iterator[Database]:
    """The database, or a temporary empty one: a dry run creates none."""
    if os.path.exists(path):
        with db_access.database(path) as database:
            yield database
        return
    with tempfile.TemporaryDirectory() as folder, Database(os.path.join(folder, "state.db")) as database:
        yield database


def _follow(args: argparse.Namespace, tool: TranscriptTool, root: str, database: Database) -> int:
    database.start_checkpointer()
    try:
        with _bar(args, tool) as watch:
            reports = follow(Mirror(database, tool, root, watch=watch), tool, root)
            first = next(reports)
        _print(first, args, tool, root)
        say(f"Following {root}. Press Ctrl-C to stop.", quiet=args.quiet)
        flush()
        for report in reports:
            _print_news(report, args, tool, root)
    except KeyboardInterrupt:
        return 0  # the normal end of --follow
    return 0


def _bar(args: argparse.Namespace, tool: TranscriptTool) -> AbstractContextManager[Watch]:
    home = None if args.dry_run else db_access.settings_of(args).home
    return progress_when_known(f"Reading {tool.title}, kB", quiet=args.quiet, unit=1000, home=home)


def _wire(report: Report, args: argparse.Namespace, tool: TranscriptTool, root: str) -> dict[str, object]:
    fields = report.to_dict()
    fields.pop("tables_left_out", None)
    return {"tool": tool.name, "root": root, "dry_run": args.dry_run, **fields}


def _print(report: Report, args: argparse.Namespace, tool: TranscriptTool, root: str) -> None:
    if args.json:
        _print_json(_wire(report, args, tool, root), one_line=args.follow)
        return
    emit(f"{tool.title}: {_summary(report, dry_run=args.dry_run)}\n")
    problems = [item for item in report.items if item.reason]
    emit_lines(f"  {inline(item.name)}: {inline(item.reason or '')}" for item in problems[:_MAX_SHOWN])
    if len(problems) > _MAX_SHOWN:
        emit(f"  … and {len(problems) - _MAX_SHOWN:,} more; --json lists them all.\n")


def _summary(report: Report, *, dry_run: bool) -> str:
    new, updated = report.total(ItemOutcome.IMPORTED), report.total(ItemOutcome.UPDATED)
    sources = [count(new, "new transcript")] if new else []
    sources += [count(updated, "updated transcript")] if updated else []
    if not sources:
        return "no new messages"
    return f"{'would read' if dry_run else 'read'} {count(report.messages, 'message')} from {' and '.join(sources)}"


def _print_news(report: Report, args: argparse.Namespace, tool: TranscriptTool, root: str) -> None:
    if args.json:
        _print_json(_wire(report, args, tool, root), one_line=True)
        return
    now = time.strftime("%H:%M:%S")
    for item in report.items:
        if item.messages or item.reason:
            text = f"+{count(item.messages, 'message')}" if item.messages else inline(item.reason or "")
            emit(f"{now}  {text}  {inline(item.name)}\n")
    flush()


def _print_json(record: dict[str, object], *, one_line: bool) -> None:
    from lionstudio.cli._toolkit.json_output import SCHEMA_VERSION, print_json, to_json

    if one_line:
        emit(to_json({"schema_version": SCHEMA_VERSION, **record}) + "\n")
        flush()
    else:
        print_json(record)
