"""What `approve`, `reject`, `redo` and `escalate` share: a word is left as a file, a director takes it up."""

from __future__ import annotations

import argparse
import getpass
import os
import time
from collections.abc import Mapping, Sequence

from lionstudio.cli._show import load
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import words
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

_DONE = {
    DecisionKind.APPROVE: "approved",
    DecisionKind.REJECT: "rejected",
    DecisionKind.REDO: "to be redone",
    DecisionKind.ESCALATE: "escalated",
}


def add_arguments(parser: argparse.ArgumentParser, *, play_may_be_missing: bool = False) -> None:
    """The arguments of a word about a play."""
    parser.add_argument("topic", type=words, metavar="TOPIC", help="the show")
    if play_may_be_missing:
        parser.add_argument("play", nargs="?", type=words, metavar="PLAY", help="the play; without it the whole show")
    else:
        parser.add_argument("play", type=words, metavar="PLAY", help="the play")
    parser.add_argument("--feedback", type=words, metavar="TEXT", help="why; the agent of a redo is told")
    parser.add_argument("--resume", action="store_true", help="start a director in the background if none works")


def record_decision(args: argparse.Namespace, word: DecisionKind, *, budget: Mapping[str, int] | None = None) -> int:
    """Leave a word about a play, or about the show, and say who will take it up."""
    settings = db_access.settings_of(args)
    found, folder = load.get(args), find_show_dir(settings, args.topic)
    play = _play(found, args.play, word) if args.play is not None else None
    decision = Decision(
        id=new_id(),
        kind=word,
        attempt=play.attempt if play is not None else None,
        feedback=args.feedback,
        by=_person(),
        at=time.time(),
        budget=budget,
    )
    save_decision(folder, args.play, decision)
    about = f"{args.topic}/{args.play}" if args.play is not None else args.topic
    done = "gets more to spend" if budget else f"is {_DONE[word]}"
    ended = found.show.status is not ShowStatus.ACTIVE
    facts: dict[str, object] = {"decision": {**decision.to_dict(), "play": args.play}}
    report(args, folder, f"{about} {done}", facts, more=["--again"] if ended else [])
    return 0


def report(
    args: argparse.Namespace, folder: str, sentence: str, facts: dict[str, object], *, more: Sequence[str] = ()
) -> None:
    """Say what was left, and whether somebody takes it up now; with --resume somebody does."""
    directed = has_director(folder)
    if not directed and getattr(args, "resume", False):
        start_director(folder, more, environment(db_access.settings_of(args)))
        directed = True
    if args.json:
        print_json({"topic": args.topic, "directed": directed, **facts})
        return
    emit(f"{sentence}\n")
    if not directed:
        say(f"Nobody directs {args.topic} now. Go on with: li show resume {args.topic}", quiet=args.quiet)


def environment(settings: Settings) -> dict[str, str]:
    """What a director is started with: ours, and the same files."""
    files = {"LIONAGI_HOME": settings.home, "LIONAGI_DB": settings.db, "LIONAGI_SHOWS": settings.shows}
    return {**os.environ, **files}


def _play(found: load.LoadedShow, name: str, word: DecisionKind) -> Play:
    play = next((each for each in found.plays if each.name == name), None)
    topic = found.show.topic
    if play is None:
        names = ", ".join(each.name for each in found.plays)
        raise NotFound(f"there is no play {name!r:.80} in {topic}", hint=f"it has: {names[:300]}")
    check_decision(word, play.status, name)
    open_needs = [
        each.name for each in found.plays if each.name in play.depends_on and each.status is not PlayStatus.MERGED
    ]
    if word is DecisionKind.APPROVE and open_needs:
        raise IllegalTransition(
            f"{name} has not run: it waits for {', '.join(open_needs)}", hint=f"li show redo {topic} {open_needs[0]}"
        )
    return play


def _person() -> str | None:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        return None
