"""What the imports share: the database to write to, the bar while it goes on, and the report at the end.

An import that is interrupted says what it did so far; running it again goes on from there.
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
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.sqlite.fulltext import count_unindexed, index_batch
from lionstudio.state.sqlite.maintenance import tune_for_import

T = TypeVar("T")
Work = Callable[[ImportTarget, Report, Watch], None]

_INTERRUPTED = 130
_MOST_SHOWN = 50  # reasons printed for a person; --json has them all
_PLURALS = {"branch": "branches"}


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options that every import has."""
    parser.add_argument("--dry-run", action="store_true", help="only say what would be imported; write nothing")
    parser.add_argument("--no-index", action="store_true", help="leave the search index to the next search")


def folder(given: str) -> str:
    """A folder that was named on the command line."""
    path = os.path.abspath(os.path.expanduser(given))
    if not os.path.isdir(path):
        raise NotFound(f"there is no folder {path}", hint="give the folder that holds what is to be imported")
    return path


def run(args: argparse.Namespace, work: Work) -> int:
    """Do the work, and report it whatever ends it; the exit code."""
    report, code = Report(), 0
    try:
        with (
            _store(args, db_access.settings_of(args).db) as store,
            progress_when_known("Importing", quiet=args.quiet, home=_noted_in(args)) as watch,
        ):
            work(store, report, watch)
        if not (args.dry_run or args.no_index):
            _index(args, db_access.settings_of(args).db)
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except SystemExit as leaving:  # a polite signal
        code = leaving.code if isinstance(leaving.code, int) else 1
    except LionError:
        if report.counts:
            say("\n".join(_lines(report, args.dry_run, styles_for(sys.stderr, refused=args.no_color))))
        raise
    _print(report, args, interrupted=bool(code))
    return code or int(report.nothing_readable)


def _noted_in(args: argparse.Namespace) -> str | None:
    """Where it is told that this goes on; a dry run writes nothing at all."""
    return None if args.dry_run else db_access.settings_of(args).home


@contextmanager
def _store(args: argparse.Namespace, path: str) -> Iterator[ImportTarget]:
    if args.dry_run and os.path.exists(path):
        with db_access.reading(path) as conn:
            yield _LookOnly(conn)
    elif args.dry_run:
        with tempfile.TemporaryDirectory() as away, Database(os.path.join(away, "state.db")) as empty:
            yield empty
    else:
        with db_access.database(path, create=True, quiet=args.quiet) as opened:
            tune_for_import(opened.conn)
            yield opened


class _LookOnly:
    """The database for a dry run: whatever tries to write is a mistake of ours."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a function that only reads."""
        return work(self._conn)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Refuse."""
        raise AssertionError(f"a dry run writes nothing: {work}")


def _index(args: argparse.Namespace, path: str) -> None:
    """Catch up with the search index, so that the first search does not have to."""
    done = 0
    with (
        db_access.database(path, quiet=args.quiet) as opened,
        progress_when_known("Indexing", quiet=args.quiet, home=_noted_in(args)) as watch,
    ):
        tune_for_import(opened.conn)
        behind = opened.read(count_unindexed)
        while step := opened.write(index_batch) if behind > 0 else 0:
            done += step
            watch(done, max(behind, done))


def _print(report: Report, args: argparse.Namespace, *, interrupted: bool) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"dry_run": args.dry_run, "interrupted": interrupted, **report.to_dict()})
    else:
        emit_lines(_lines(report, args.dry_run, styles_for(sys.stdout, refused=args.no_color)))
    if report.left_out:
        say(f"Tables that were not read: {inline(', '.join(report.left_out))}.", quiet=args.quiet)
    if interrupted:
        say("Interrupted. What is counted here is kept; run it again to go on.")


def _lines(report: Report, dry_run: bool, paint: Paint) -> Iterator[str]:
    if not report.counts:
        yield "There is nothing to import."
    for kind in dict.fromkeys(kind for kind, _ in report.counts):
        found = {outcome: report.counts[kind, outcome] for outcome in ItemOutcome}
        counts = ", ".join(f"{number:,} {outcome}" for outcome, number in found.items() if number)
        yield f"{_PLURALS.get(kind, kind + 's')}: {counts}"
    if report.messages:
        yield f"{count(report.messages, 'message')} {'would be added' if dry_run else 'added'}"
    told = [item for item in report.items if item.reason]
    yield from (_told(item, paint) for item in told[:_MOST_SHOWN])
    if len(told) > _MOST_SHOWN or report.unlisted:
        yield f"  … and {len(told) - _MOST_SHOWN + report.unlisted:,} more; --json lists them"


def _told(item: ImportItem, paint: Paint) -> str:
    style = "yellow" if item.outcome is ItemOutcome.SKIPPED else "dim"
    word = str(item.outcome) if item.outcome is ItemOutcome.SKIPPED else "note"
    return f"  {paint(word, style)} {item.kind} {inline(item.name)}: {inline(item.reason or '')}"
