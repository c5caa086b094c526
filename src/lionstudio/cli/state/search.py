"""`li state search`: find words in everything that was said; complete at every instant, quick once indexed."""

from __future__ import annotations

import argparse
import re
import sys
import time
from typing import TYPE_CHECKING, Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, point_in_time, words
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, iso
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.progress import Progress
from lionstudio.cli._toolkit.terminal import Paint, is_terminal, say, styles_for
from lionstudio.errors import LionError
from lionstudio.state.sessions import resolve_session
from lionstudio.state.sqlite.fulltext import Hit, index_batch, search, unindexed

if TYPE_CHECKING:
    from lionstudio.settings import Settings

DESCRIPTION = """\
Find messages that have all the words. `begin*` is the beginning of a word, '"two words"' a phrase.
Newest first; --best puts the most relevant first. --semantic finds by meaning and --hybrid by both, once `li state
embed` has made embeddings."""
EXAMPLES = (
    ("li state search database locked", "messages with both words"),
    ("li state search '\"connection refused\"' --since 7d", "a phrase, in the last week"),
    ("li state search migrat* --project website --best", "the beginning of a word, the most relevant first"),
    ("li state search 'why do writers wait' --hybrid", "what has the words and what means the same, best first"),
    ("li state search TODO --json --limit 5 --max-chars 400", "for a program, or for an agent"),
)
_CATCH_UP_FROM = 2000  # fewer are looked through faster than indexed


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("words", nargs="+", type=words, metavar="WORDS", help="what to look for")
    add("--limit", type=integer(1, 10_000), default=20, metavar="N", help="how many at most (%(default)s)")
    add("--max-chars", type=integer(20, 100_000), default=200, metavar="N", help="text of each (%(default)s)")
    add("--project", type=words, metavar="P", help="only in a project")
    add("--session", type=words, metavar="S", help="only in one session (an id, the beginning of one, or a name)")
    add("--since", type=point_in_time, metavar="T", help="said since 2h, 14d or 2026-05-01")
    order = parser.add_mutually_exclusive_group().add_argument
    order("--best", action="store_true", help="the most relevant of the newest thousand first")
    order("--semantic", action="store_true", help="the nearest in meaning first, whatever their words")
    order("--hybrid", action="store_true", help="by words and by meaning; what both find comes first")


def run(args: argparse.Namespace) -> int:
    """Print the messages that match."""
    settings = db_access.settings_of(args)
    path, query = settings.db, " ".join(args.words)
    with db_access.reading(path) as conn:
        behind = unindexed(conn)
        session_id = resolve_session(conn, args.session) if args.session else None
    if behind > _CATCH_UP_FROM and not args.semantic:
        _catch_up(path, behind, args.quiet)
    scope = {"project": args.project, "session_id": session_id, "since": args.since}
    if args.semantic or args.hybrid:
        hits = _by_meaning(args, settings, query, scope)
    else:
        with db_access.reading(path) as conn:
            hits = search(conn, query, limit=args.limit, ranked=args.best, max_chars=args.max_chars, **scope)
    _print(query, hits, args)
    return 0


def _by_meaning(args: argparse.Namespace, settings: Settings, query: str, scope: dict[str, Any]) -> list[Hit]:
    """Ask the model for the question's vector first: no transaction is open while it answers."""
    from lionstudio.embeddings.query import QueryEmbedder
    from lionstudio.state.sqlite.vectors import is_behind, need_extension, search_both, search_by_meaning

    with db_access.reading(settings.db) as conn:
        need_extension(conn)
        asked = QueryEmbedder(settings).embed_query(query)
        find = search_both if args.hybrid else search_by_meaning
        hits = find(conn, asked, limit=args.limit, max_chars=args.max_chars, **scope)
        if is_behind(conn):
            say("The newest messages have no embedding yet; `li state embed` makes them.", quiet=args.quiet)
    return hits


def _catch_up(path: str, behind: int, quiet: bool) -> None:
    """Index first what is missing; where that is not possible the search itself looks through it."""
    done = 0
    try:
        with db_access.database(path, quiet=quiet) as database, Progress("Indexing", behind, quiet=quiet) as progress:
            while step := database.write(index_batch):
                done += step
                progress.show(done)
    except LionError:
        return  # read-only, or written by a newer version: it takes longer, and finds the same


def _print(query: str, hits: list[Hit], args: argparse.Namespace) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"query": query, "hits": [_to_wire(hit) for hit in hits]})
    elif is_terminal():
        _print_for_person(query, hits, styles_for(sys.stdout, refused=args.no_color))
    else:
        emit_lines("\t".join(_plain_cells(hit)) for hit in hits)
    if not hits:
        say("Nothing was found.", quiet=args.quiet)


def _to_wire(hit: Hit) -> dict[str, Any]:
    wire = {"ref": _place(hit), **hit._asdict(), "created_at_iso": iso(hit.created_at)}
    return wire if hit.score is not None else {key: value for key, value in wire.items() if key != "score"}


def _place(hit: Hit) -> str:
    """What `li state show` takes to show this message."""
    return f"{hit.session_id}:{hit.ord}" if hit.session_id else ""


def _plain_cells(hit: Hit) -> list[str]:
    return [inline(text or "") for text in (_place(hit), iso(hit.created_at), hit.role, hit.session_name, hit.snippet)]


def _print_for_person(query: str, hits: list[Hit], paint: Paint) -> None:
    now = time.time()
    found = re.compile("|".join(map(re.escape, re.findall(r"\w+", query))) or "$^", re.IGNORECASE)
    for hit in hits:
        name = paint(inline(hit.session_name or "(no name)"), "bold")
        about = "  ".join(inline(text) for text in (hit.role, hit.project, ago(hit.created_at, now)) if text)
        emit(f"{name}  {about}  {paint(inline(_place(hit)), 'dim')}\n")
        # escaped first: what is painted afterwards cannot come from the message
        text = found.sub(lambda match: paint(match[0], "yellow"), inline(hit.snippet))
        emit(f"  {text}\n\n")
