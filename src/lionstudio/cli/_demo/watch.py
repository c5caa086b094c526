"""Watch the show of a demo until it ends, with commands for its own home."""

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
    args: argparse.Namespace, settings: Settings, show_dir: str, on_waiting: Callable[[], None] | None = None
) -> ShowSnapshot:
    """Watch until the director exits; `on_waiting` is called once, when the show needs a person."""
    callbacks = [] if on_waiting is None else [on_waiting]

    def keeps_waiting() -> bool:
        if callbacks:
            callbacks.pop()()
        return False

    return follow(settings, TOPIC, show_dir, _view(args, settings.home), keeps_waiting)


def _view(args: argparse.Namespace, home: str) -> ShowLiveView | PlainView:
    def advice(now: ShowSnapshot) -> str:
        question = f"needs you: {inline(', '.join(now.waits_for))}"
        decision = f"redo {TOPIC} {now.needs_person[0]}" if now.needs_person else f"approve {TOPIC}"
        command = f"li show {decision} --home {quote(home)}"
        return question if args.no_studio else f"{question}. Decide in Studio, or in another terminal:\n{command}"

    if is_terminal() and not args.json and not args.quiet:
        return ShowLiveView(plain=args.no_color, advice=advice)
    return PlainView(as_json=args.json, quiet=args.quiet, advice=advice)


def report(args: argparse.Namespace, snapshot: ShowSnapshot) -> None:
    if args.json:
        record = {"type": "ended", "schema_version": 1, "topic": TOPIC, "status": str(snapshot.status)}
        emit(to_json({**record, "plays": {play.name: str(play.status) for play in snapshot.plays}}) + "\n")
        flush()
    elif snapshot.status is ShowStatus.ACTIVE:
        say("The director exited; see _director.log in the folder of the show.", quiet=args.quiet)
    else:
        merged = f"{snapshot.merged} of {len(snapshot.plays)} plays merged"
        say(f"Show ended: {snapshot.status}, {merged}.", quiet=args.quiet)
