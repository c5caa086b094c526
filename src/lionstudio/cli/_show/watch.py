"""Watching a show from any terminal: what its rows say, as they change, until it ends or the person leaves."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable
from shlex import quote
from typing import NoReturn

from lionstudio.cli._show.render import PlainView, ShowLiveView, View
from lionstudio.cli._show.snapshot import ShowSnapshot, take_snapshot
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.terminal import is_terminal, say
from lionstudio.errors import NotFound
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.settings import Settings
from lionstudio.shows.process.lock import has_director
from lionstudio.state.sqlite.tail import Tail

_REFRESH_SECONDS = 0.5  # clocks and costs move also when nothing changes
_APPEARING_SECONDS = 10.0  # in which a new director has made the rows


def watch(args: argparse.Namespace, settings: Settings, show_dir: str, *, attached: bool) -> int:
    """Show it until it has ended; the exit code is the show's."""
    if args.detach:
        return _detached(args, attached)
    signal.signal(signal.SIGINT, lambda number, _: _left(args, number))
    signal.signal(signal.SIGTERM, lambda number, _: _left(args, number))
    live = is_terminal() and not args.json and not args.quiet
    view = ShowLiveView(plain=args.no_color) if live else PlainView(as_json=args.json, quiet=args.quiet)
    found = follow(settings, args.topic, show_dir, view, lambda: bool(args.no_wait))
    return _report(args, found, directed=has_director(show_dir))


def follow(settings: Settings, topic: str, show_dir: str, view: View, leaves: Callable[[], bool]) -> ShowSnapshot:
    """Show it until nobody directs it any more; `leaves` is asked whenever only a person could go on."""
    with Tail(settings.db) as tail, view:
        while True:
            directed = has_director(show_dir)  # before the look: without a director nothing changes after it
            found = _look(settings, topic)
            view.show(found)
            if not directed or (found.waits_for and not found.busy and leaves()):
                return found
            tail.wait(_REFRESH_SECONDS)


def _look(settings: Settings, topic: str) -> ShowSnapshot:
    deadline = time.monotonic() + _APPEARING_SECONDS
    while True:
        try:
            with db_access.reading(settings.db) as conn:
                return take_snapshot(conn, topic, time.time())
        except NotFound:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _report(args: argparse.Namespace, found: ShowSnapshot, *, directed: bool) -> int:
    ended = found.status is not ShowStatus.ACTIVE
    if args.json:
        record = {"type": "ended" if ended else "left", "schema_version": 1, "topic": args.topic}
        plays = {play.name: str(play.status) for play in found.plays}
        emit(to_json({**record, "status": str(found.status), "plays": plays}) + "\n")
        flush()
    elif ended:
        say(f"the show {args.topic} is {found.status}", quiet=args.quiet)
        if found.work is not None and found.merged:
            repo, branch = found.work
            command = inline(f"git -C {quote(repo)} merge {quote(branch)}")
            say(f"its work is on {inline(branch)}; {command} takes it", quiet=args.quiet)
    elif found.waits_for and directed:
        say(f"{args.topic} waits for a person: {', '.join(found.waits_for)}; li show status {args.topic}")
    else:
        say(f"{args.topic} has no director any more; `li show resume {args.topic}` goes on (see its _director.log)")
    return 0 if found.status is ShowStatus.COMPLETED else 1


def _detached(args: argparse.Namespace, attached: bool) -> int:
    if args.json:
        emit(to_json({"schema_version": 1, "topic": args.topic, "started": not attached}) + "\n")
    say(
        f"the show {args.topic} runs in the background; li show run {args.topic} watches it",
        quiet=args.quiet or args.json,
    )
    return 0


def _left(args: argparse.Namespace, number: int) -> NoReturn:
    """Leaving ends nothing."""
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    say(
        f"left; the show goes on. li show run {args.topic} comes back to it, li show abort {args.topic} ends it",
        quiet=args.quiet,
    )
    raise SystemExit(128 + number)
