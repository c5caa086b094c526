"""`li show clean`: remove the checkouts that shows have left."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import words
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
    remove_checkout,
)
from lionstudio.shows.process.lock import acquire_director_lock

DESCRIPTION = """\
Remove the checkouts of shows that have ended. Only those go whose work is proven to be merged, and whose files are
all in it; of every other one the reason is told and it stays. With --abandoned also those go whose work nobody
merged, after everything in them was committed under refs/shows/archive of the repository."""
EXAMPLES = (
    ("li show clean --dry-run", "which checkouts shows have left"),
    ("li show clean --yes", "remove those whose work is merged"),
    ("li show clean parser --abandoned", "give up what was not merged; git keeps it in the archive"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("topic", type=words, nargs="?", metavar="TOPIC", help="only this show")
    add("--abandoned", action="store_true", help="also what was never merged, once it is archived")
    add("--dry-run", action="store_true", help="only say which there are")
    add("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace) -> int:
    """Find them, ask, and remove what may go; exit code 1 when one had to stay."""
    settings = db_access.settings_of(args)
    with db_access.reading(settings.db) as conn:
        found = [left for left in list_stale_checkouts(conn, settings) if args.topic in (None, left.topic)]
    if not found:
        _report(args, [], [])
        return 0
    if args.dry_run:
        _report(args, found, [])
        return 0
    consent = confirm(args, "folders would be removed")
    if not args.yes and not consent(f"Remove {count(len(found), 'checkout')}, where nothing is lost?"):
        say("Nothing was changed.")
        return 1
    done = [
        each for topic in dict.fromkeys(left.topic for left in found) for each in _clean(args, settings, topic, found)
    ]
    _report(args, [], done)
    return 1 if any(each.kept for each in done) else 0


def _clean(args: argparse.Namespace, settings: Settings, topic: str, found: list[StaleCheckout]) -> list[Cleaned]:
    """One show, which nobody may take up meanwhile."""
    with _held(settings, topic):
        done = [clean(left, abandoned=args.abandoned) for left in found if left.topic == topic]
        remove_checkout(os.path.join(checkout_folders(settings), topic))
    return done


@contextmanager
def _held(settings: Settings, topic: str) -> Iterator[None]:
    folder = os.path.join(settings.shows, topic)
    with acquire_director_lock(folder) if os.path.isdir(folder) else nullcontext():
        yield


def _report(args: argparse.Namespace, found: list[StaleCheckout], done: list[Cleaned]) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"leftovers": [left._asdict() for left in found], "cleaned": [each._asdict() for each in done]})
        return
    if not found and not done:
        emit("No show has left a checkout.\n")
    emit_lines(f"{inline(left.topic)}/{inline(left.play)}  {inline(left.path)}  ({left.show})" for left in found)
    emit_lines(
        f"{inline(each.topic)}/{inline(each.play)}  {'stays: ' + inline(each.kept) if each.kept else 'removed'}"
        for each in done
    )
