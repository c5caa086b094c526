"""`li show clean`: remove stale checkouts of ended shows."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.confirm import confirm
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import say
from lionstudio.settings import Settings
from lionstudio.shows.git.cleanup import (
    Cleaned,
    StaleCheckout,
    checkout_folders,
    clean,
    list_stale_checkouts,
    remove_partial_checkouts,
)
from lionstudio.shows.process.lock import acquire_director_lock

DESCRIPTION = """\
Remove the checkouts of ended shows. A checkout is removed only if its work is proven to be merged, including every
file; otherwise it is kept and the reason is printed. With --abandoned, checkouts with unmerged work are removed too,
after their contents are committed under refs/shows/archive in the repository."""
EXAMPLES = (
    ("li show clean --dry-run", "list stale checkouts"),
    ("li show clean --yes", "remove checkouts with merged work"),
    ("li show clean parser --abandoned", "also remove unmerged work, archived in git"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("topic", type=utf8, nargs="?", metavar="TOPIC", help="only this show (default: all shows)")
    add("--abandoned", action="store_true", help="also remove unmerged work, after archiving it")
    add("--dry-run", action="store_true", help="list checkouts and remove nothing")
    add("--yes", action="store_true", help="remove without asking for confirmation")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 if a checkout was kept."""
    settings = db_access.settings_of(args)
    with db_access.reading(settings.db) as conn:
        stale = [item for item in list_stale_checkouts(conn, settings) if args.topic in (None, item.topic)]
    if args.dry_run or not stale:
        _report(args, stale, [])
        return 0
    consent = confirm(args, "clean removes folders")
    if not args.yes and not consent(f"Remove up to {count(len(stale), 'checkout')}?"):
        say("Nothing changed.")
        return 1
    topics = dict.fromkeys(item.topic for item in stale)
    cleaned = [result for topic in topics for result in _clean(args, settings, topic, stale)]
    _report(args, [], cleaned)
    return 1 if any(result.kept for result in cleaned) else 0


def _clean(args: argparse.Namespace, settings: Settings, topic: str, stale: list[StaleCheckout]) -> list[Cleaned]:
    """Clean one show under its director lock, so that no director starts meanwhile."""
    with _director_lock(settings, topic):
        cleaned = [clean(item, abandoned=args.abandoned) for item in stale if item.topic == topic]
        remove_partial_checkouts(os.path.join(checkout_folders(settings), topic))
    return cleaned


@contextmanager
def _director_lock(settings: Settings, topic: str) -> Iterator[None]:
    folder = os.path.join(settings.shows, topic)
    with acquire_director_lock(folder) if os.path.isdir(folder) else nullcontext():
        yield


def _report(args: argparse.Namespace, stale: list[StaleCheckout], cleaned: list[Cleaned]) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        leftovers = [item._asdict() for item in stale]
        print_json({"leftovers": leftovers, "cleaned": [result._asdict() for result in cleaned]})
        return
    if not stale and not cleaned:
        emit("No stale checkouts.\n")
    emit_lines(f"{inline(item.topic)}/{inline(item.play)}  {inline(item.path)}  ({item.show})" for item in stale)
    emit_lines(
        f"{inline(result.topic)}/{inline(result.play)}  {'kept: ' + inline(result.kept) if result.kept else 'removed'}"
        for result in cleaned
    )
