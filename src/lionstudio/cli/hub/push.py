"""`li hub push`: copy the sessions of this machine to the hub, once or continuously."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import point_in_time, utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit, emit_exact, flush
from lionstudio.cli._toolkit.printed_commands import located
from lionstudio.cli._toolkit.progress import progress_when_known
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import NotFound
from lionstudio.hub.connect import HubAway, HubConnection, hub_address
from lionstudio.hub.follow import follow
from lionstudio.hub.push import Progress, Push, PushReport
from lionstudio.settings import Settings
from lionstudio.state.hub.ownership import PushRefusal
from lionstudio.state.hub.selection import PushFilters

DESCRIPTION = """\
Copy the sessions of this machine to the hub, the database of your team: messages, branches, tags, notes, questions and
usage. A repeated push copies only what changed. The database of this machine stays the truth of its sessions: change
and answer them here. Sessions that are deleted here stay on the hub; those deleted there do not come back.
docs/hub.md explains what is copied."""
EXAMPLES = (
    ("li config set hub postgresql://lion@hub.example/lion", "choose the hub, once"),
    ("li hub push", "copy everything that is new"),
    ("li hub push --follow", "continue with new messages until Ctrl-C"),
    ("li hub push --project website --since 30d", "only some sessions; a later push without filters copies the rest"),
    ("li hub push --service", "print a systemd unit that pushes in the background"),
)
_REASONS: Mapping[PushRefusal, str] = {
    PushRefusal.DELETED: "deleted on the hub, for good",
    PushRefusal.OTHER_MACHINE: "of another machine, which pushes its own",
    PushRefusal.OTHER_DATABASE: "pushed by another database of this machine",
    PushRefusal.OF_THE_HUB: "recorded by the hub itself",
    PushRefusal.SHARED_IDS: "with branches, questions or progressions of another session of the hub",
    PushRefusal.INVALID: "with values that the hub cannot store",
}


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--follow", action="store_true", help="continue with new messages until Ctrl-C")
    # `project` is a setting of other commands
    add(
        "--project",
        dest="only_project",
        type=utf8,
        action="append",
        metavar="P",
        help="only sessions of this project; repeatable",
    )
    add("--since", type=utf8, metavar="T", help="only sessions created since T: 14d, today, 2026-05-01")
    add("--service", action="store_true", help="print a systemd user unit that follows; nothing is installed")


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    filters = PushFilters(tuple(args.only_project or ()), args.since and point_in_time(args.since), args.since)
    address = hub_address(settings)
    if args.service:
        return _print_unit(settings, args)
    if not os.path.exists(settings.db):
        raise NotFound(
            f"this machine has nothing to push: database {settings.db} not found",
            hint="run an agent, or import the history of Claude Code and Codex: li mirror all",
        )
    with db_access.reading(settings.db):
        pass  # an older database is upgraded first
    with HubConnection(address) as hub, _bar(args, settings) as progress:
        push = Push(settings.db, hub, filters, progress)
        if args.follow:
            return _follow(args, settings, hub, push)
        try:
            report = push.run()
        except KeyboardInterrupt:
            say("Interrupted. Pushed sessions are kept; run the command again to continue.", quiet=args.quiet)
            raise
    _print(args, report, hub.name)
    return 0


def _print_unit(settings: Settings, args: argparse.Namespace) -> int:
    from lionstudio.hub.service_unit import service_unit

    if settings.origins["hub"] == "environment":
        say(
            located("The unit does not have your LIONAGI_HUB; store the address first: li config set hub ADDRESS"),
            quiet=args.quiet,
        )
    options = [word for name in args.only_project or () for word in ("--project", name)]
    emit_exact(service_unit(settings, [*options, *(("--since", args.since) if args.since else ())]))
    return 0


def _bar(args: argparse.Namespace, settings: Settings) -> AbstractContextManager[Progress]:
    return progress_when_known("Pushing sessions", quiet=args.quiet or args.follow, unit=1, home=settings.home)


def _follow(args: argparse.Namespace, settings: Settings, hub: HubConnection, push: Push) -> int:
    say(f"Pushing to {inline(hub.name)}. Press Ctrl-C to stop.", quiet=args.quiet)
    was_away = False
    try:
        for event in follow(push, settings.db):
            if isinstance(event, HubAway):
                say(f"{inline(event.message)}. Nothing is lost; trying again until it is back.", quiet=args.quiet)
                was_away = True
                continue
            if was_away:
                say("The hub is back.", quiet=args.quiet)
                was_away = False
            _print_news(args, event, hub.name)
    except KeyboardInterrupt:
        return 0  # the normal end of --follow
    return 0


def _wire(report: PushReport, hub: str) -> dict[str, Any]:
    return {
        "hub": hub,
        "sessions": report.sessions,
        "messages": report.messages,
        "compared": report.compared,
        "refused": [{"session_id": id_, "reason": reason} for id_, reason in report.refused.items()],
    }


def _print(args: argparse.Namespace, report: PushReport, hub: str) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json(_wire(report, hub))
        return
    if report.sessions:
        sums = f"{count(report.sessions, 'session')}, {count(report.messages, 'new message')}"
        emit(f"Pushed {sums} to {inline(hub)}.\n")
    else:
        emit(f"Everything is on {inline(hub)} already.\n" if not report.refused else "Nothing was pushed.\n")
    _say_refusals(args, report)


def _say_refusals(args: argparse.Namespace, report: PushReport) -> None:
    for reason, number in report.refusals.items():
        say(f"Not pushed: {count(number, 'session')} {_REASONS[reason]}.", quiet=args.quiet)
    if report.refused:
        say(located("`li hub push --json` lists them."), quiet=args.quiet)


def _print_news(args: argparse.Namespace, report: PushReport, hub: str) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import SCHEMA_VERSION, to_json

        emit(to_json({"schema_version": SCHEMA_VERSION, **_wire(report, hub)}) + "\n")
    else:
        sums = f"{count(report.sessions, 'session')}, {count(report.messages, 'new message')}"
        emit(f"{time.strftime('%H:%M:%S')}  {sums}\n")
        _say_refusals(args, report)
    flush()
