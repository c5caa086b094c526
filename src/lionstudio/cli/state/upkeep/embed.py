"""`li state embed`: give messages their embeddings, so that they are found by meaning."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.progress import progress_when_known
from lionstudio.cli._toolkit.terminal import say
from lionstudio.embeddings.job import BATCH, embed_missing
from lionstudio.embeddings.models import open_embedder
from lionstudio.state.embeddings import count_embedded, count_lacking, find_made

DESCRIPTION = """\
Make embeddings of messages that have none, by the model that the settings embed_model and embed_url name. What was made
is kept batch by batch: interrupted or killed, it goes on where it was when it is run again. The texts are sent to that
address and nowhere else; a model of a package on this machine sends nothing."""
EXAMPLES = (
    ("li state embed --dry-run", "how many messages have none; nothing is asked"),
    ("li state embed", "make all that are missing"),
    ("li state embed --limit 1000 --batch 32", "a first thousand, 32 in a request"),
    ("li state embed --again", "all of them anew, after the model was changed"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--limit", type=integer(1), metavar="N", help="stop after so many")
    add("--batch", type=integer(1, 2048), default=BATCH, metavar="N", help="texts in a request (%(default)s)")
    add("--again", action="store_true", help="make also those anew that are there; needed after a change of model")
    add("--dry-run", action="store_true", help="only say how many there are and how many are missing")


def run(args: argparse.Namespace) -> int:
    """Make them, or count them."""
    settings = db_access.settings_of(args)
    if args.dry_run:
        return _count(args, settings.db)
    with db_access.reading(settings.db):
        pass  # where there is no database the refusal says so, before a model is opened
    embedder = open_embedder(settings, os.environ)
    how = {"limit": args.limit, "batch": args.batch, "again": args.again}
    try:
        with (
            db_access.database(settings.db, quiet=args.quiet) as database,
            progress_when_known("Embedding", quiet=args.quiet, home=db_access.settings_of(args).home) as watch,
        ):
            done = embed_missing(database, embedder, watch=watch, **how)
    except KeyboardInterrupt:
        say("Interrupted; what was made is kept, and the next run goes on from there.", quiet=args.quiet)
        raise
    if args.json:
        print_json({"schema_version": 1, "model": embedder.model, **done._asdict()})
    else:
        emit(f"{count(done.embedded, 'message')} embedded by {inline(embedder.model)}\n")
        if done.refused:
            say(f"{count(done.refused, 'message')} refused: {inline(done.reason or '')}")
    return 0


def _count(args: argparse.Namespace, db: str) -> int:
    with db_access.reading(db) as conn:
        made, embedded, missing = find_made(conn), count_embedded(conn), count_lacking(conn)
    model = None if made is None else made.model
    if args.json:
        print_json({"schema_version": 1, "dry_run": True, "model": model, "embedded": embedded, "missing": missing})
    else:
        by = f" by {inline(model)}" if model else ""
        emit(f"{count(embedded, 'message')} embedded{by}, {missing:,} without an embedding\n")
    return 0
