"""`li state search`: search all messages, also those that are not indexed yet."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import time
from typing import TYPE_CHECKING, Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import SESSION_HELP, integer, point_in_time, utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, iso
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.progress import ProgressBar
from lionstudio.cli._toolkit.terminal import Paint, is_terminal, say, styles_for
from lionstudio.errors import LionError
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.state.backends import fulltext
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.sqlite.fulltext import search
from lionstudio.state.sqlite.search_hits import Hit
from lionstudio.state.sqlite.search_ranges import scope_of
from lionstudio.state.sqlite.search_runs import RunHits, SearchResult, search_runs
from lionstudio.state.sqlite.search_text import ROLES

if TYPE_CHECKING:
    from lionstudio.settings import Settings

DESCRIPTION = """\
Find messages that contain all the words. `begin*` matches the start of a word, '"two words"' a phrase, `file:PATH`
tool calls that name a file. Last recorded first (an imported history in the order of its import); --best sorts by
relevance. A terminal shows the results by run, a pipe and --json message by message. --semantic searches by meaning and
--hybrid by both; they need `li state embed`."""
EXAMPLES = (
    ("li state search database locked", "messages with both words"),
    ("li state search '\"connection refused\"' --since 7d", "a phrase in the last week"),
    ("li state search migrat* --project website --best", "the start of a word, most relevant first"),
    ("li state search --file src/x.py", "runs whose tools read or changed a file"),
    ("li state search timeout --role tool --tool Bash --status failed", "in the output of a tool, in failed runs"),
    ("li state search 'why do writers wait' --hybrid", "by words and meaning, best first"),
    ("li state search TODO --json --limit 5 --max-chars 400", "for a program or an agent"),
)
_CATCH_UP_FROM = 20_000  # reading fewer takes 40 ms, indexing them half a second


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("words", nargs="*", type=utf8, metavar="WORDS", help="words to search for")
    add(
        "--limit",
        type=integer(1, 10_000),
        default=20,
        metavar="N",
        help="maximum number of messages (default %(default)s)",
    )
    add(
        "--max-chars",
        type=integer(20, 100_000),
        default=200,
        metavar="N",
        help="characters of text per message (default %(default)s)",
    )
    add("--project", type=utf8, metavar="P", help="only this project")
    add("--role", choices=ROLES, metavar="R", help=f"only messages of a role: {', '.join(ROLES)}")
    add("--tool", type=utf8, metavar="T", help="only calls of a tool and their results: Bash, Edit")
    add("--agent", type=utf8, metavar="A", help="only runs of this agent")
    add("--status", choices=tuple(map(str, SessionStatus)), metavar="S", help="only runs with this status")
    add("--file", type=utf8, metavar="PATH", help="only tool calls that name this file: src/x.py")
    add("--session", type=utf8, metavar="S", help=f"only this session: {SESSION_HELP}")
    add("--since", type=point_in_time, metavar="T", help="only messages since T: 2h, 14d, today, yesterday, 2026-05-01")
    shape = parser.add_mutually_exclusive_group().add_argument
    shape("--group", action="store_true", default=None, help="by run, with counts (default on a terminal)")
    shape("--flat", action="store_false", dest="group", help="message by message (default in a pipe and with --json)")
    order = parser.add_mutually_exclusive_group().add_argument
    order(
        "--best", action="store_true", help="sort the last thousand matches by relevance (default: last recorded first)"
    )
    order("--semantic", action="store_true", help="search by meaning (embeddings)")
    order("--hybrid", action="store_true", help="search by words and meaning; matches of both come first")


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    path, query = settings.db, " ".join(args.words)
    with db_access.reading(path) as conn:
        behind = fulltext(conn).count_unindexed(conn)
        session_id = resolve_session(conn, args.session) if args.session else None
    if behind > _CATCH_UP_FROM and not args.semantic:
        _catch_up(path, behind, args.quiet)
    names = ("project", "since", "role", "tool", "agent", "status", "file")
    scope = {"session_id": session_id, **{name: getattr(args, name) for name in names}}
    group = args.group if args.group is not None else is_terminal() and not args.json
    if group and not (args.semantic or args.hybrid):
        with db_access.reading(path) as conn:
            result = search_runs(
                conn, query, scope_of(**scope), ranked=args.best, runs=args.limit, max_chars=args.max_chars
            )
        _print_runs(query, result, args)
        return 0
    if args.semantic or args.hybrid:
        hits = _by_meaning(args, settings, query, scope)
    else:
        with db_access.reading(path) as conn:
            hits = search(conn, query, limit=args.limit, ranked=args.best, max_chars=args.max_chars, **scope)
    _print(query, hits, args)
    return 0


def _by_meaning(args: argparse.Namespace, settings: Settings, query: str, scope: dict[str, Any]) -> list[Hit]:
    """Embed the query before the search, so that no transaction is open while the model answers."""
    from lionstudio.embeddings.query import QueryEmbedder
    from lionstudio.state.sqlite.vectors import (
        newest_lacks_embedding,
        require_extension,
        search_hybrid,
        search_semantic,
    )

    with db_access.reading(settings.db) as conn:
        require_extension(conn)
        vector = QueryEmbedder(settings).embed_query(query)
        find = search_hybrid if args.hybrid else search_semantic
        hits = find(conn, vector, limit=args.limit, max_chars=args.max_chars, **scope)
        if newest_lacks_embedding(conn):
            say("The newest messages have no embeddings yet. Compute them: li state embed", quiet=args.quiet)
    return hits


def _catch_up(path: str, behind: int, quiet: bool) -> None:
    """Index new messages first; if that fails, the search scans them."""
    done = 0
    try:
        with (
            db_access.database(path, quiet=quiet) as database,
            ProgressBar("Indexing", behind, quiet=quiet) as progress,
        ):
            while step := database.write(fulltext(database.conn).index_batch):
                done += step
                progress.show(done)
    except LionError:
        return  # read-only, or a newer schema: the search is slower, with the same results


def _print(query: str, hits: list[Hit], args: argparse.Namespace) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"query": query, "hits": [_to_wire(hit) for hit in hits]})
    elif is_terminal():
        _print_for_person(query, hits, styles_for(sys.stdout, refused=args.no_color))
    else:
        emit_lines("\t".join(_plain_cells(hit)) for hit in hits)
    if not hits:
        say("No messages found.", quiet=args.quiet)


def _print_runs(query: str, result: SearchResult, args: argparse.Namespace) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        runs = [_run_wire(run) for run in result.runs]
        print_json({"query": query, "total": result.total, "more": result.more, "runs": runs})
    else:
        paint, now = styles_for(sys.stdout, refused=args.no_color), time.time()
        for run in result.runs:
            name = paint(inline(run.run.name if run.run is not None else "(no run)"), "bold")
            facts = () if run.run is None else (run.run.status, run.run.project, ago(run.hits[0].created_at, now))
            emit(f"{name}  {'  '.join(inline(fact) for fact in facts if fact)}\n")
            for hit in run.hits:
                about = " ".join(inline(text) for text in (hit.role, hit.tool) if text)
                emit(f"  {paint(about, 'cyan')}  {paint(inline(_reference(hit)), 'dim')}\n")
                emit("".join(f"    {_painted(line, result.words, paint)}\n" for line in hit.snippet.splitlines()))
            if run.matches > len(run.hits):
                words = shlex.join([*args.words, *(["--file", args.file] if args.file else [])])
                more = (
                    f"{run.matches - len(run.hits):,} more: li state search {words} --session {run.session_id} --flat"
                )
                emit(paint(f"  {inline(more)}", "dim") + "\n")
            emit("\n")
        least = "at least " if result.more else ""
        say(f"{least}{result.total:,} messages in {len(result.runs):,} runs".capitalize() + ".", quiet=args.quiet)
    if not result.runs:
        say("No messages found.", quiet=args.quiet)


def _run_wire(run: RunHits) -> dict[str, Any]:
    facts = {} if run.run is None else run.run._asdict()
    return {"session_id": run.session_id, **facts, "count": run.matches, "hits": [_to_wire(hit) for hit in run.hits]}


def _painted(text: str, words: str, paint: Paint) -> str:
    # escape before painting, so that escape codes cannot come from the message
    pattern = re.compile("|".join(map(re.escape, re.findall(r"\w+", words))) or "$^", re.IGNORECASE)
    return pattern.sub(lambda match: paint(match[0], "yellow"), inline(text))


def _to_wire(hit: Hit) -> dict[str, Any]:
    wire = {"ref": _reference(hit), **hit._asdict(), "created_at_iso": iso(hit.created_at)}
    return wire if hit.score is not None else {key: value for key, value in wire.items() if key != "score"}


def _reference(hit: Hit) -> str:
    """The argument for `li state show`."""
    return f"{hit.session_id}:{hit.ord}" if hit.session_id else ""


def _plain_cells(hit: Hit) -> list[str]:
    return [
        inline(text or "") for text in (_reference(hit), iso(hit.created_at), hit.role, hit.session_name, hit.snippet)
    ]


def _print_for_person(query: str, hits: list[Hit], paint: Paint) -> None:
    now = time.time()
    for hit in hits:
        name = paint(inline(hit.session_name or "(no name)"), "bold")
        about = "  ".join(inline(text) for text in (hit.role, hit.project, ago(hit.created_at, now)) if text)
        emit(f"{name}  {about}  {paint(inline(_reference(hit)), 'dim')}\n")
        emit(f"  {_painted(hit.snippet, query, paint)}\n\n")
