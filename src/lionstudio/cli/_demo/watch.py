"""Watching the show of a demo: until it has ended, through every rest, with words that fit its own home."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from shlex import quote

from lionstudio.cli._show.render import PlainView, ShowLiveView
from lionstudio.cli._show.snapshot import ShowSnapshot
from lionstudio.cli._show.watch import follow
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.terminal import is_terminal, say
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.settings import Settings
from lionstudio.shows.demo import TOPIC


def watch(
    args: argparse.Namespace, settings: Settings, show_dir: str, when_resting: Callable[[], None] | None = None
) -> ShowSnapshot:
    """Show it until nobody directs it any more; `when_resting` is called once, when only a person could go on."""
    waiting = [] if when_resting is None else [when_resting]

    def goes_on() -> bool:
        if waiting:
            waiting.pop()()
        return False

    return follow(settings, TOPIC, show_dir, _view(args, settings.home), goes_on)


def _view(args: argparse.Namespace, home: str) -> ShowLiveView | PlainView:
    def advice(now: ShowSnapshot) -> str:
        who = f"waits for a person: {inline(', '.join(now.waits_for))}"
        word = f"redo {TOPIC} {now.needs_person[0]}" if now.needs_person else f"approve {TOPIC}"
        command = f"li show {word} --home {quote(home)}"
        return who if args.no_studio else f"{who}; decide in the Studio, or in another terminal:\n{command}"

    if is_terminal() and not args.json and not args.quiet:
        return ShowLiveView(plain=args.no_color, advice=advice)
    return PlainView(as_json=args.json, quiet=args.quiet, advice=advice)


def report(args: argparse.Namespace, found: ShowSnapshot) -> None:
    """Say how it ended."""
    if args.json:
        record = {"type": "ended", "schema_version": 1, "topic": TOPIC, "status": str(found.status)}
        emit(to_json({**record, "plays": {play.name: str(play.status) for play in found.plays}}) + "\n")
        flush()
    elif found.status is ShowStatus.ACTIVE:
        say("The show has no director any more; _director.log in its folder says why.", quiet=args.quiet)
    else:
        merged = f"{found.merged} of {len(found.plays)} plays are merged"
        say(f"The show has ended: it is {found.status}, {merged}.", quiet=args.quiet)
