"""Watch a show from any terminal until it ends or the user detaches."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable
from shlex import quote
from typing import NoReturn

from lionstudio.cli._show.place import place
from lionstudio.cli._show.render import PlainView, ShowLiveView, View
from lionstudio.cli._show.snapshot import MergedWork, ShowSnapshot, take_snapshot
from lionstudio.cli._show.workers import has_open_work, is_directed, is_for_workers, why_left
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.terminal import is_terminal, say, write_stderr
from lionstudio.errors import NotFound
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.settings import Settings
from lionstudio.shows.git.remote.address import check_address
from lionstudio.shows.process.rest_mark import is_director_busy
from lionstudio.state.backends import open_tail
from lionstudio.state.connection import Unavailable

_REFRESH_SECONDS = 0.5  # durations and costs change without a change event
_APPEARING_SECONDS = 10.0  # until a new director has written the rows


def watch(args: argparse.Namespace, settings: Settings, show_dir: str, *, attached: bool) -> int:
    """Watch until the show ends; returns its exit code."""
    if args.detach:
        return _detached(args, attached)
    signal.signal(signal.SIGINT, lambda number, _: _detach(args, number))
    signal.signal(signal.SIGTERM, lambda number, _: _detach(args, number))
    live = is_terminal() and not args.json and not args.quiet
    view = ShowLiveView(plain=args.no_color) if live else PlainView(as_json=args.json, quiet=args.quiet)
    try:
        snapshot = follow(settings, args.topic, show_dir, view, lambda: bool(args.no_wait))
    except Unavailable as error:
        again = f"li show run {args.topic}{_where(args)}"
        raise Unavailable(f"{error.message}; the show goes on without this view", hint=again) from error
    return _report(args, snapshot, directed=is_directed(settings, show_dir))


def follow(
    settings: Settings, topic: str, show_dir: str, view: View, stops_waiting: Callable[[], bool]
) -> ShowSnapshot:
    """Watch until the director exits; `stops_waiting` is called while the show needs a person."""
    where, by_workers = place(settings), is_for_workers(settings, topic)
    plays: list[str] = [play.name for play in _snapshot(settings, topic).plays]
    with open_tail(settings.db) as tail, view:
        while True:
            # both before the rows: these are then at least as new
            directed = is_directed(settings, show_dir)  # without a director nothing changes afterwards
            director_busy = is_director_busy(show_dir, plays) or (by_workers and has_open_work(settings, topic))
            snapshot = _snapshot(settings, topic)._replace(director_busy=director_busy, where=where)
            plays = [play.name for play in snapshot.plays]
            view.show(snapshot)
            if not directed or (snapshot.waits_for and not snapshot.busy and stops_waiting()):
                return snapshot
            tail.wait(_REFRESH_SECONDS)


def _snapshot(settings: Settings, topic: str) -> ShowSnapshot:
    deadline = time.monotonic() + _APPEARING_SECONDS
    while True:
        try:
            with db_access.reading(settings.db) as conn:
                return take_snapshot(conn, topic, time.time())
        except NotFound:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _report(args: argparse.Namespace, snapshot: ShowSnapshot, *, directed: bool) -> int:
    ended, where = snapshot.status is not ShowStatus.ACTIVE, snapshot.where
    if args.json:
        record = {"type": "ended" if ended else "left", "schema_version": 1, "topic": args.topic}
        plays = {play.name: str(play.status) for play in snapshot.plays}
        emit(to_json({**record, "status": str(snapshot.status), "plays": plays}) + "\n")
        flush()
    elif ended:
        say(f"Show {args.topic} ended: {snapshot.status}", quiet=args.quiet)
        if snapshot.rejection is not None:
            output = f"li show log {args.topic} --gate{where}"
            say(f"The final gates failed: {inline(snapshot.rejection)}. Their output: {output}", quiet=args.quiet)
        if snapshot.work is not None and snapshot.merged:
            merge = "" if snapshot.rejection is not None else f". Merge it: {merge_command(snapshot.work)}"
            remote = f" of {snapshot.work.remote}" if snapshot.work.remote is not None else ""
            say(inline(f"The work is on branch {snapshot.work.branch}{remote}{merge}"), quiet=args.quiet)
    elif snapshot.waits_for and directed:
        say(f"{args.topic} needs you: {', '.join(snapshot.waits_for)}. Details: li show status {args.topic}{where}")
    elif (problem := why_left(db_access.settings_of(args), args.topic)) is not None:
        say(f"The director of {args.topic} gave up: {inline(problem)}. Continue: li show resume {args.topic}{where}")
    else:
        say(f"The director of {args.topic} exited (see _director.log). Continue: li show resume {args.topic}{where}")
    return 0 if snapshot.status is ShowStatus.COMPLETED else 1


def merge_command(work: MergedWork) -> str:
    """Return the command that merges the work; workers leave it on the remote only."""
    if work.remote is None:
        return f"git -C {quote(work.repo)} merge {quote(work.branch)}"
    remote = check_address(work.remote)  # any program may have written the row, and git runs some addresses
    # the show may have been started on another machine: then the command is for any clone
    git = f"git -C {quote(work.repo)}" if os.path.isdir(work.repo) else "git"
    return f"{git} fetch {quote(remote)} {quote(work.branch)} && {git} merge FETCH_HEAD"


def _detached(args: argparse.Namespace, attached: bool) -> int:
    if args.json:
        emit(to_json({"schema_version": 1, "topic": args.topic, "started": not attached}) + "\n")
    say(
        f"Show {args.topic} is running in the background. Watch it: li show run {args.topic}{_where(args)}",
        quiet=args.quiet or args.json,
    )
    return 0


def _where(args: argparse.Namespace) -> str:
    return place(db_access.settings_of(args))


def _detach(args: argparse.Namespace, number: int) -> NoReturn:
    if sys.stderr.isatty():
        write_stderr("\n")
    say(
        f"Detached; the show keeps running. Reattach: li show run {args.topic}{_where(args)}"
        f" · Stop: li show abort {args.topic}{_where(args)}",
        quiet=args.quiet,
    )
    raise SystemExit(128 + number)
