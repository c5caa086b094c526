"""Shared by `approve`, `reject`, `redo` and `escalate`: write a decision file for the director."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from lionstudio.cli._person import require_person
from lionstudio.cli._show.held_back import check_shown, load_held_back
from lionstudio.cli._show.load import LoadedShow, load_show
from lionstudio.cli._show.place import place
from lionstudio.cli._show.workers import direct_by_workers, is_directed, is_for_workers
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import IllegalTransition, LionError, NotFound
from lionstudio.files.shows.held_back import HeldBack
from lionstudio.model.ids import new_id
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.shows.show import Play
from lionstudio.model.shows.show_files import PLAN
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.runs.callers.caller import Subject
from lionstudio.settings import Settings
from lionstudio.shows.director.rules import check_decision
from lionstudio.shows.process.lock import start_director
from lionstudio.shows.records.answers import decide
from lionstudio.shows.records.decision_rows import decide_by_row
from lionstudio.shows.records.decisions import Decision
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.shows.records.team_folder import write_folder
from lionstudio.state import backends
from lionstudio.state.database import Database
from lionstudio.system.li_process import li_environment

_DONE = {
    DecisionKind.APPROVE: "approved",
    DecisionKind.REJECT: "rejected",
    DecisionKind.REDO: "queued for another attempt",
    DecisionKind.ESCALATE: "escalated",
}


def add_arguments(parser: argparse.ArgumentParser, *, play_optional: bool = False) -> None:
    parser.add_argument("topic", type=utf8, metavar="TOPIC", help="name of the show")
    if play_optional:
        parser.add_argument(
            "play", nargs="?", type=utf8, metavar="PLAY", help="name of the play (default: the whole show)"
        )
    else:
        parser.add_argument("play", type=utf8, metavar="PLAY", help="name of the play")
    parser.add_argument("--feedback", type=utf8, metavar="TEXT", help="reason; passed to the agent of the next attempt")
    parser.add_argument(
        "--resume", action="store_true", help="start a director in the background unless one is running"
    )
    parser.add_argument("--question", type=utf8, metavar="ID", help="decide only if this question is still open")
    parser.add_argument("--attempt", type=int, metavar="N", help="decide only if the play is at this attempt")
    parser.add_argument("--head", type=utf8, metavar="SHA", help="decide only if this commit is the work of the play")
    if play_optional:
        parser.add_argument(
            "--plan", type=utf8, metavar="DIGEST", help="decide only if the plan is held back with this SHA-256"
        )
        parser.add_argument(
            "--commits", type=utf8, metavar="SHA,…", help="decide only if exactly these commits are held back"
        )


def record_decision(
    args: argparse.Namespace,
    kind: DecisionKind,
    *,
    budget: Mapping[str, int] | None = None,
    force: bool = False,
    held: HeldBack | None = None,
) -> int:
    """Write a decision about a play or the show, and report whether a director is running."""
    settings = db_access.settings_of(args)
    loaded, folder = load_show(args), find_show_dir(settings, args.topic)
    check_folder(loaded, folder, settings)
    play = find_decidable_play(loaded, args.play, kind) if args.play is not None else None
    if play is not None:
        check_shown(args, play)
    action = f"li show {kind} {args.topic}{f' {args.play}' if args.play is not None else ''}"
    decider = require_person(args, action, subject=_subject(loaded, args.play), show_dir=folder)
    decision = Decision(
        id=new_id(),
        kind=kind,
        attempt=play.attempt if play is not None else None,
        feedback=args.feedback,
        by=decider.name,
        origin=decider.origin,
        at=time.time(),
        budget=budget,
        force=force or None,
        plan=held.plan if held else None,
        commits=held.commits or None if held else None,
        dropped=held.dropped or None if held else None,
    )
    with open_database(settings.db) as database:
        if database is not None and loaded.show.is_for_workers:
            decision = decide_by_row(database, args.topic, args.play, decision, question_id=args.question)
        else:
            decision = decide(folder, database, args.play, decision, question_id=args.question)
    target = f"{args.topic}/{args.play}" if args.play is not None else args.topic
    result = f"Budget of {target} raised" if budget else f"{target} {_DONE[kind]}"
    if held is not None:
        result = f"Changes of {target} {_DONE[kind]}"
    ended = loaded.show.status is not ShowStatus.ACTIVE
    facts: dict[str, object] = {"decision": {**decision.to_dict(), "play": args.play}}
    report(args, folder, result, facts, options=["--again"] if ended else [])
    return 0


@contextmanager
def open_database(path: str) -> Iterator[Database | None]:
    """The database of a show; None where it cannot be written: the file of a decision is enough for the director."""
    try:
        database = backends.open_database(path, create=False)
    except LionError:
        yield None
        return
    with database:
        yield database


def _subject(loaded: LoadedShow, play: str | None) -> Subject:
    """The play, and the deciders that the plan named when the show started."""
    deciders = loaded.show.metadata.get("deciders")
    return Subject(loaded.show.topic, play, deciders if isinstance(deciders, list) else ())


def find_decidable(args: argparse.Namespace) -> HeldBack | None:
    """Find what a decision about the whole show is about; None for the show itself."""
    settings = db_access.settings_of(args)
    loaded, folder = load_show(args), find_show_dir(settings, args.topic)
    check_folder(loaded, folder, settings)
    return load_held_back(args, loaded, folder)


def report(
    args: argparse.Namespace, folder: str, result: str, facts: dict[str, object], *, options: Sequence[str] = ()
) -> None:
    """Print the result; start a director if --resume is set and none is running."""
    settings = db_access.settings_of(args)
    directed = is_directed(settings, folder)
    if not directed and getattr(args, "resume", False):
        if is_for_workers(settings, args.topic):
            direct_by_workers(settings, folder, again="--again" in options)
        else:
            start_director(folder, options, environment(settings))
        directed = True
    if getattr(args, "is_answer", False):
        return  # `li ask answer` prints the receipt
    if args.json:
        print_json({"topic": args.topic, "directed": directed, **facts})
        return
    emit(f"{result}\n")
    if not directed:
        where = place(db_access.settings_of(args))
        say(f"No director is running. Continue the show: li show resume {args.topic}{where}", quiet=args.quiet)


def environment(settings: Settings) -> dict[str, str]:
    """The environment of a director: ours, with the same home, database and shows folder."""
    return {**os.environ, **li_environment(settings)}


def check_folder(loaded: LoadedShow, folder: str, settings: Settings) -> None:
    """Refuse a decision for a folder without a plan: no director would ever read it. Workers read rows."""
    if loaded.show.is_for_workers:
        write_folder(folder, loaded.show, loaded.plays, keep_plan=True)
        return
    if not os.path.lexists(os.path.join(folder, PLAN)):
        topic, elsewhere = loaded.show.topic, os.path.dirname(loaded.show.show_dir)
        hint = f"restore the folder from the database: li show resume {topic}{place(settings)}"
        if os.path.lexists(os.path.join(loaded.show.show_dir, PLAN)):
            hint = f"its folder is in {elsewhere}; set LIONAGI_SHOWS={elsewhere}"
        raise NotFound(f"show {topic} has no plan in {folder}", hint=hint)


def find_decidable_play(loaded: LoadedShow, name: str, kind: DecisionKind) -> Play:
    play = next((play for play in loaded.plays if play.name == name), None)
    topic = loaded.show.topic
    if play is None:
        names = ", ".join(play.name for play in loaded.plays)
        raise NotFound(f"play {name!r:.80} not found in {topic}", hint=f"plays of {topic}: {names[:300]}")
    check_decision(kind, play.status, name)
    unmerged = [
        other.name for other in loaded.plays if other.name in play.depends_on and other.status is not PlayStatus.MERGED
    ]
    if kind is DecisionKind.APPROVE and unmerged:
        raise IllegalTransition(
            f"{name} has not run: blocked by {', '.join(unmerged)}", hint=f"li show redo {topic} {unmerged[0]}"
        )
    return play
