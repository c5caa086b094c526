"""`li show run`: start a show and watch it, or attach to one that runs."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, words
from lionstudio.errors import NotFound

DESCRIPTION = """\
Run a show and watch it: its director works in the background, so leaving with Ctrl-C ends nothing. Called again, or
from another terminal, it attaches to the show that runs. On a terminal it shows the plays with their states, what each
does now, the cost and the time left; in a pipe one line for each change. The exit code is 0 when the show completes,
1 when it is aborted or, with --no-wait, when it needs a person."""
EXAMPLES = (
    ("li show run parser", "start it, or attach to it, and watch"),
    ("li show run parser --detach", "start it and come back at once"),
    ("li show run parser --concurrency 8", "eight plays at a time, whatever the plan says"),
    ("li show run parser --no-wait --json", "for a script: leave when only a person can go on"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li show run`."""
    add = parser.add_argument
    add("topic", type=words, metavar="TOPIC", help="the show: the name of its folder")
    add_watch_options(parser)
    add("--foreground", action="store_true", help=argparse.SUPPRESS)  # be the director oneself
    add("--again", action="store_true", help=argparse.SUPPRESS)


def add_watch_options(parser: argparse.ArgumentParser) -> None:
    """The options that running and resuming share."""
    add = parser.add_argument
    add("--detach", action="store_true", help="start it and come back at once")
    add("--concurrency", type=integer(1, 1000), metavar="N", help="so many plays at a time")
    add("--no-wait", action="store_true", help="leave when nothing can go on without a person")


def run(args: argparse.Namespace) -> int:
    """Start it or attach to it."""
    if args.foreground:
        from lionstudio.cli._show.foreground import direct

        return direct(args)
    return start_and_watch(args, [])


def start_and_watch(args: argparse.Namespace, more: list[str]) -> int:
    """Make sure that the show has a director, then watch it."""
    from lionstudio.cli._show.template import refuse_unwritten
    from lionstudio.cli._show.watch import watch
    from lionstudio.cli._toolkit.terminal import say
    from lionstudio.model.shows.show_files import PLAN
    from lionstudio.shows.process.lock import has_director, start_director
    from lionstudio.shows.records.show_dir import find_show_dir

    settings = db_access.settings_of(args)
    show_dir = find_show_dir(settings, args.topic)
    if not os.path.isdir(show_dir) and not is_kept(settings.db, args.topic):
        raise NotFound(f"there is no show {args.topic}", hint=f"`li show plan {args.topic}` makes one ({PLAN})")
    options = [*more, *(["--concurrency", str(args.concurrency)] if args.concurrency else [])]
    attached = has_director(show_dir)
    if attached:
        say(f"the show {args.topic} runs; watching it", quiet=args.quiet or args.json)
        if args.concurrency:
            from lionstudio.shows.execute.budget import set_concurrency

            set_concurrency(show_dir, args.concurrency)  # its director takes it up
    else:
        refuse_unwritten(args.topic, os.path.join(show_dir, PLAN))
        files = {"LIONAGI_HOME": settings.home, "LIONAGI_DB": settings.db, "LIONAGI_SHOWS": settings.shows}
        os.makedirs(show_dir, mode=0o700, exist_ok=True)
        with db_access.database(settings.db, create=True):
            pass  # whoever watches needs one to look into
        start_director(show_dir, options, {**os.environ, **files})
    return watch(args, settings, show_dir, attached=attached)


def is_kept(db: str, topic: str) -> bool:
    """Whether the rows know a show whose folder is gone."""
    from lionstudio.state.shows import find_show

    try:
        with db_access.reading(db) as conn:
            return find_show(conn, topic) is not None
    except NotFound:
        return False
