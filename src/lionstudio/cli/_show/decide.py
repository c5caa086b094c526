"""Shared by `approve`, `reject`, `redo` and `escalate`: write a decision file for the director."""

from __future__ import annotations

import argparse
import getpass
import os
import time
from collections.abc import Mapping, Sequence

from lionstudio.cli._show.load import LoadedShow, load_show
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import IllegalTransition, NotFound
from lionstudio.model.ids import new_id
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.shows.show import Play
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.settings import Settings
from lionstudio.shows.director.rules import check_decision
from lionstudio.shows.process.lock import has_director, start_director
from lionstudio.shows.records.decisions import Decision, save_decision
from lionstudio.shows.records.show_dir import find_show_dir
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


def record_decision(args: argparse.Namespace, kind: DecisionKind, *, budget: Mapping[str, int] | None = None) -> int:
    """Write a decision about a play or the show, and report whether a director is running."""
    settings = db_access.settings_of(args)
    loaded, folder = load_show(args), find_show_dir(settings, args.topic)
    play = _play(loaded, args.play, kind) if args.play is not None else None
    decision = Decision(
        id=new_id(),
        kind=kind,
        attempt=play.attempt if play is not None else None,
        feedback=args.feedback,
        by=_user_name(),
        at=time.time(),
        budget=budget,
    )
    save_decision(folder, args.play, decision)
    target = f"{args.topic}/{args.play}" if args.play is not None else args.topic
    result = f"Budget of {target} raised" if budget else f"{target} {_DONE[kind]}"
    ended = loaded.show.status is not ShowStatus.ACTIVE
    facts: dict[str, object] = {"decision": {**decision.to_dict(), "play": args.play}}
    report(args, folder, result, facts, options=["--again"] if ended else [])
    return 0


def report(
    args: argparse.Namespace, folder: str, result: str, facts: dict[str, object], *, options: Sequence[str] = ()
) -> None:
    """Print the result; start a director if --resume is set and none is running."""
    directed = has_director(folder)
    if not directed and getattr(args, "resume", False):
        start_director(folder, options, environment(db_access.settings_of(args)))
        directed = True
    if args.json:
        print_json({"topic": args.topic, "directed": directed, **facts})
        return
    emit(f"{result}\n")
    if not directed:
        say(f"No director is running. Continue the show: li show resume {args.topic}", quiet=args.quiet)


def environment(settings: Settings) -> dict[str, str]:
    """The environment of a director: ours, with the same home, database and shows folder."""
    return {**os.environ, **li_environment(settings)}


def _play(loaded: LoadedShow, name: str, kind: DecisionKind) -> Play:
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


def _user_name() -> str | None:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name
        return None
