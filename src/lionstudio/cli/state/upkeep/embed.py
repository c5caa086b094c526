"""`li state embed`: compute embeddings for semantic search."""

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
from lionstudio.state.embeddings import count_embedded, count_missing, find_model

DESCRIPTION = """\
Compute embeddings for messages without one, with the model of the settings embed_model and embed_url. Every batch is
stored at once, so an interrupted run continues where it stopped. Texts are sent only to embed_url; a local model sends
nothing."""
EXAMPLES = (
    ("li state embed --dry-run", "count messages without an embedding; calls no model"),
    ("li state embed", "compute all missing embeddings"),
    ("li state embed --limit 1000 --batch 32", "the first thousand, 32 per request"),
    ("li state embed --again", "recompute everything after changing the model"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--limit", type=integer(1), metavar="N", help="maximum number of messages (default: all)")
    add("--batch", type=integer(1, 2048), default=BATCH, metavar="N", help="texts per request (default %(default)s)")
    add("--again", action="store_true", help="recompute existing embeddings (required after changing the model)")
    add("--dry-run", action="store_true", help="only print the numbers of existing and missing embeddings")


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    if args.dry_run:
        return _count(args, settings.db)
    with db_access.reading(settings.db):
        pass  # fail on a missing database before opening a model
    embedder = open_embedder(settings, os.environ)
    options = {"limit": args.limit, "batch": args.batch, "again": args.again}
    try:
        with (
            db_access.database(settings.db, quiet=args.quiet) as database,
            progress_when_known("Embedding", quiet=args.quiet, home=db_access.settings_of(args).home) as watch,
        ):
            result = embed_missing(database, embedder, watch=watch, **options)
    except KeyboardInterrupt:
        say("Interrupted. Stored embeddings are kept; run the command again to continue.", quiet=args.quiet)
        raise
    if args.json:
        print_json({"schema_version": 1, "model": embedder.model, **result._asdict()})
    else:
        emit(f"Embedded {count(result.embedded, 'message')} with {inline(embedder.model)}\n")
        if result.refused:
            say(f"The model refused {count(result.refused, 'message')}: {inline(result.reason or '')}")
    return 0


def _count(args: argparse.Namespace, db: str) -> int:
    with db_access.reading(db) as conn:
        made, embedded, missing = find_model(conn), count_embedded(conn), count_missing(conn)
    model = None if made is None else made.model
    if args.json:
        print_json({"schema_version": 1, "dry_run": True, "model": model, "embedded": embedded, "missing": missing})
    else:
        name = f" with {inline(model)}" if model else ""
        emit(f"{count(embedded, 'message')} embedded{name}, {missing:,} without an embedding\n")
    return 0
