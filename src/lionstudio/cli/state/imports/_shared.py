"""Shared by the imports: the target database, the progress bar and the final report.

An interrupted import reports what it did so far; the next one continues from there.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.progress import progress_when_known
from lionstudio.cli._toolkit.terminal import Paint, say, styles_for
from lionstudio.errors import LionError, NotFound
from lionstudio.imports.report import ImportItem, ImportTarget, ItemOutcome, Report, Watch
from lionstudio.settings import local_path
from lionstudio.state.backends import exists, fulltext, maintenance
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database

T = TypeVar("T")
Work = Callable[[ImportTarget, Report, Watch], None]

_INTERRUPTED = 130
_MAX_SHOWN = 50  # items printed on a terminal; --json has them all
_PLURALS = {"branch": "branches"}


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="print what would be imported and write nothing")
    parser.add_argument("--no-index", action="store_true", help="do not update the search index; the next search does")


def folder(argument: str) -> str:
    """The absolute path of an existing folder."""
    path = local_path(argument, "pass the folder to import from")
    if not os.path.isdir(path):
        raise NotFound(f"folder {path} does not exist", hint="pass the folder to import from")
    return path


def run(args: argparse.Namespace, work: Work) -> int:
    """Run the import and report, also after an interruption or an error."""
    report, code = Report(), 0
    try:
        with (
            _target(args, db_access.settings_of(args).db) as target,
            progress_when_known("Importing", quiet=args.quiet, home=_progress_home(args)) as watch,
        ):
            work(target, report, watch)
        if not (args.dry_run or args.no_index):
            _index(args, db_access.settings_of(args).db)
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except SystemExit as error:  # SIGTERM
        code = error.code if isinstance(error.code, int) else 1
    except LionError:
        if report.counts:
            say("\n".join(_lines(report, args.dry_run, styles_for(sys.stderr, refused=args.no_color))))
        raise
    _print(report, args, interrupted=bool(code))
    return code or int(report.nothing_readable)


def _progress_home(args: argparse.Namespace) -> str | None:
    """The home to write progress to; a dry run writes nothing at all."""
    return None if args.dry_run else db_access.settings_of(args).home


@contextmanager
def _target(args: argparse.Namespace, path: str) -> Iterator[ImportTarget]:
    if args.dry_run and exists(path):
        with db_access.reading(path) as conn:
            yield _ReadOnlyTarget(conn)
    elif args.dry_run:
        with tempfile.TemporaryDirectory() as temporary, Database(os.path.join(temporary, "state.db")) as empty:
            yield empty
    else:
        with db_access.database(path, create=True, quiet=args.quiet) as database:
            maintenance(path).tune_for_import(database.conn)
            yield database


class _ReadOnlyTarget:
    """The target of a dry run; a write is a bug."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def read(self, work: Callable[[Connection], T]) -> T:
        return work(self._conn)

    def write(self, work: Callable[[Connection], T]) -> T:
        raise AssertionError(f"write in a dry run: {work}")


def _index(args: argparse.Namespace, path: str) -> None:
    """Update the search index now, so that the first search is fast."""
    done = 0
    with (
        db_access.database(path, quiet=args.quiet) as database,
        progress_when_known("Indexing", quiet=args.quiet, home=_progress_home(args)) as watch,
    ):
        maintenance(path).tune_for_import(database.conn)
        index = fulltext(database.conn)
        behind = database.read(index.count_unindexed)
        while step := database.write(index.index_batch) if behind > 0 else 0:
            done += step
            watch(done, max(behind, done))


def _print(report: Report, args: argparse.Namespace, *, interrupted: bool) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"dry_run": args.dry_run, "interrupted": interrupted, **report.to_dict()})
    else:
        emit_lines(_lines(report, args.dry_run, styles_for(sys.stdout, refused=args.no_color)))
    if report.left_out:
        tables = inline(", ".join(report.left_out))
        say(f"Not imported, because they belong to the other installation or tool: {tables}.", quiet=args.quiet)
    if report.files_left_out:
        names = inline(", ".join(report.files_left_out))
        say(f"Not imported (settings and caches of the other home): {names}.", quiet=args.quiet)
    if interrupted:
        say("Interrupted. The items above are imported; run the command again to continue.")


def _lines(report: Report, dry_run: bool, paint: Paint) -> Iterator[str]:
    if not report.counts:
        yield "Nothing to import."
    for kind in dict.fromkeys(kind for kind, _ in report.counts):
        numbers = {outcome: report.counts[kind, outcome] for outcome in ItemOutcome}
        counts = ", ".join(f"{number:,} {outcome}" for outcome, number in numbers.items() if number)
        yield f"{_PLURALS.get(kind, kind + 's')}: {counts}"
    if report.messages:
        yield f"{count(report.messages, 'message')} {'would be added' if dry_run else 'added'}"
    items = [item for item in report.items if item.reason]
    yield from (_item_line(item, paint) for item in items[:_MAX_SHOWN])
    if len(items) > _MAX_SHOWN or report.unlisted:
        yield f"  … and {len(items) - _MAX_SHOWN + report.unlisted:,} more; --json lists them"


def _item_line(item: ImportItem, paint: Paint) -> str:
    style = "yellow" if item.outcome is ItemOutcome.SKIPPED else "dim"
    label = str(item.outcome) if item.outcome is ItemOutcome.SKIPPED else "note"
    return f"  {paint(label, style)} {item.kind} {inline(item.name)}: {inline(item.reason or '')}"
