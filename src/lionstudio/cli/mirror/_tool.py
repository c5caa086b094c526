"""`li mirror TOOL|all`: import the transcripts of one registered tool or of all, once or continuously."""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit, emit_lines, flush
from lionstudio.cli._toolkit.progress import progress_when_known
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import NotFound
from lionstudio.files.follow_lock import find_follower
from lionstudio.imports.report import ItemOutcome, Report, Watch
from lionstudio.imports.transcripts.follow import Follower, FollowTarget
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.imports.transcripts.tools import TOOLS
from lionstudio.state.backends import exists, maintenance
from lionstudio.state.database import Database

_MAX_SHOWN = 20  # unreadable files or lines; --json has all of them


ALL = "all"


class MirrorCommand:
    """The command of one tool, or of all of them, in the shape of a command module."""

    def __init__(self, name: str) -> None:
        self._tool = tool = None if name == ALL else TOOLS[name]
        title = "every known tool" if tool is None else tool.title
        page = (
            "docs/how-to/import-claude.md and import-codex.md describe the formats"
            if tool is None
            else f"docs/how-to/import-{name}.md describes the format"
        )
        self.DESCRIPTION = (
            f"Import the transcripts of {title}: a conversation becomes a session, a sub-agent a branch of it. "
            f"A repeated run reads only new messages; transcripts that the tool deletes stay in the database. "
            f"Studio follows transcripts by itself; --follow does it without Studio. {page}."
        )
        self.EXAMPLES: tuple[tuple[str, str], ...] = (
            (f"li mirror {name}", "import all new messages once"),
            (f"li mirror {name} --follow", "continue with new messages until Ctrl-C"),
            (f"li mirror {name} --dry-run", "report new messages without importing them"),
        )
        if tool is not None:
            example = f"li mirror {name} --root /backup/{os.path.basename(tool.home)}"
            self.EXAMPLES += ((example, "the home of another user or machine"),)

    def register(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command."""
        add, tool = parser.add_argument, self._tool
        if tool is not None:
            add("--root", metavar="DIR", help=f"home of {tool.title} (default {tool.home_variable} or {tool.home})")
        add("--follow", action="store_true", help="continue with new messages until Ctrl-C")
        add("--dry-run", action="store_true", help="report new messages without importing them")
        # Studio's own follower ends with Studio, in whatever way that ends
        add("--while-stdin-open", action="store_true", help=argparse.SUPPRESS)

    def run(self, args: argparse.Namespace) -> int:
        """Import once, or follow."""
        path = db_access.settings_of(args).db
        targets = self._targets(args)
        if args.dry_run:
            return _preview(args, targets, path)
        with db_access.database(path, create=True, quiet=args.quiet) as database:
            return _follow(args, targets, database) if args.follow else _once(args, targets, database)

    def _targets(self, args: argparse.Namespace) -> list[FollowTarget]:
        if self._tool is None:
            targets = [FollowTarget(tool, tool.root()) for tool in TOOLS.values()]
        else:
            root = os.path.realpath(os.path.expanduser(args.root)) if args.root else self._tool.root()
            targets = [FollowTarget(self._tool, root)]
        existing = [target for target in targets if os.path.isdir(target.root)]
        if existing or args.follow:
            return targets if args.follow else existing
        roots = ", ".join(target.root for target in targets)
        if self._tool is None:
            raise NotFound(f"no tool has a home on this machine: {roots}", hint="li mirror claude --root DIR")
        raise NotFound(
            f"the home of {self._tool.title} does not exist: {roots}",
            hint=f"pass --root DIR or set {self._tool.home_variable}",
        )


def _once(args: argparse.Namespace, targets: list[FollowTarget], database: Database) -> int:
    maintenance(database.path).tune_for_import(database.conn)
    code = 0
    for target in targets:
        report = Report()
        try:
            with _bar(args, target.tool) as watch:
                Mirror(database, *target, watch=watch).run(report)
        except KeyboardInterrupt:
            say("Interrupted. Imported messages are kept; run the command again to continue.", quiet=args.quiet)
            _print(report, args, target)
            raise
        _print(report, args, target)
        code = code or int(report.nothing_readable)
    return code


def _preview(args: argparse.Namespace, targets: list[FollowTarget], path: str) -> int:
    for target in targets:
        report = Report()
        with _existing(path) as database, _bar(args, target.tool) as watch:
            Mirror(database, *target, watch=watch).preview(report)
        _print(report, args, target)
    return 0


@contextmanager
def _existing(path: str) -> Iterator[Database]:
    """The database, or a temporary empty one: a dry run creates none."""
    if exists(path):
        with db_access.database(path) as database:
            yield database
        return
    import tempfile  # slow to load

    with tempfile.TemporaryDirectory() as folder, Database(os.path.join(folder, "state.db")) as database:
        yield database


def _follow(args: argparse.Namespace, targets: list[FollowTarget], database: Database) -> int:
    database.start_checkpointer()
    if args.while_stdin_open:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    follower = Follower(database, targets, progress=partial(_bar, args))
    try:
        for event in follower.events():
            if event.report is None:
                _say_standby(args, event.target, database.path)
            elif event.is_first:
                _print(event.report, args, event.target)
                _say_following(args, event.target)
            else:
                _print_news(event.report, args, event.target)
            flush()
    except KeyboardInterrupt:
        return 0  # the normal end of --follow
    return 0


def _end_with_stdin() -> None:
    with suppress(OSError):
        while os.read(0, 1000):
            pass
    os.kill(os.getpid(), signal.SIGTERM)


def _say_following(args: argparse.Namespace, target: FollowTarget) -> None:
    root = inline(target.root)
    if os.path.isdir(target.root):
        say(f"Following {root}. Press Ctrl-C to stop.", quiet=args.quiet)
    else:
        say(f"{root} does not exist yet; waiting for {target.tool.title}. Press Ctrl-C to stop.", quiet=args.quiet)


def _say_standby(args: argparse.Namespace, target: FollowTarget, path: str) -> None:
    process = find_follower(path, target.tool.name, target.root)
    holder = "Another process" if process is None else f"Process {process.pid}"
    say(
        f"{holder} follows {target.tool.title} already; this one takes over when it ends. Press Ctrl-C to stop.",
        quiet=args.quiet,
    )


def _bar(args: argparse.Namespace, tool: TranscriptTool) -> AbstractContextManager[Watch]:
    home = None if args.dry_run else db_access.settings_of(args).home
    return progress_when_known(f"Reading {tool.title}, kB", quiet=args.quiet, unit=1000, home=home)


def _wire(report: Report, args: argparse.Namespace, target: FollowTarget) -> dict[str, object]:
    fields = report.to_dict()
    fields.pop("tables_left_out", None)
    return {"tool": target.tool.name, "root": target.root, "dry_run": args.dry_run, **fields}


def _print(report: Report, args: argparse.Namespace, target: FollowTarget) -> None:
    if args.json:
        # `li mirror all` prints one document per tool
        _print_json(_wire(report, args, target), one_line=args.follow or not hasattr(args, "root"))
        return
    emit(f"{_summary(report, target.tool.title, dry_run=args.dry_run)}\n")
    problems = [item for item in report.items if item.reason]
    emit_lines(f"  {inline(item.name)}: {inline(item.reason or '')}" for item in problems[:_MAX_SHOWN])
    if len(problems) > _MAX_SHOWN:
        emit(f"  … and {len(problems) - _MAX_SHOWN:,} more; --json lists them all.\n")


def _summary(report: Report, title: str, *, dry_run: bool) -> str:
    new, updated = report.total(ItemOutcome.IMPORTED), report.total(ItemOutcome.UPDATED)
    sources = [count(new, "new transcript")] if new else []
    sources += [count(updated, "updated transcript")] if updated else []
    if not sources:
        return f"No new messages of {title}."
    messages = count(report.messages, "message")
    return f"{'Would read' if dry_run else 'Read'} {messages} from {' and '.join(sources)} of {title}."


def _print_news(report: Report, args: argparse.Namespace, target: FollowTarget) -> None:
    if args.json:
        _print_json(_wire(report, args, target), one_line=True)
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
