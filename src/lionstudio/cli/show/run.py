"""`li show run`: start a show and watch it, or attach to a running one."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, utf8
from lionstudio.errors import NotFound

DESCRIPTION = """\
Run a show and watch it. Its director runs in the background, so Ctrl-C only detaches. Called again, or from another
terminal, the command attaches to the running show. A terminal shows the plays with their state, current activity, cost
and remaining time; a pipe gets one line per change. The exit code is 0 if the show completes, and 1 if it is aborted
or, with --no-wait, needs a person."""
EXAMPLES = (
    ("li show run parser", "start or attach, and watch"),
    ("li show run parser --detach", "start and return immediately"),
    ("li show run parser --concurrency 8", "up to eight plays at once, whatever the plan says"),
    ("li show run parser --workers", "on the machines that run `li worker`"),
    ("li show run parser --no-wait --json", "for a script: exit when the show needs a person"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("topic", type=utf8, metavar="TOPIC", help="name of the show")
    add_watch_options(parser)
    add("--foreground", action="store_true", help=argparse.SUPPRESS)  # run the director in this process
    add("--again", action="store_true", help=argparse.SUPPRESS)


def add_watch_options(parser: argparse.ArgumentParser) -> None:
    """Options shared with `li show resume`."""
    add = parser.add_argument
    add("--detach", action="store_true", help="start and return immediately")
    add(
        "--concurrency",
        type=integer(1, 1000),
        metavar="N",
        help="maximum plays running at once (default: from the plan)",
    )
    add("--no-wait", action="store_true", help="exit when the show needs a person")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers", action="store_true", help="let the workers of the hub play it, also without `remote` in the plan"
    )
    where.add_argument("--here", action="store_true", help="play it on this machine, whatever the plan says")


def run(args: argparse.Namespace) -> int:
    if args.again:
        require_resumer(args)
    if args.foreground:
        from lionstudio.cli._show.foreground import direct

        return direct(args)
    return start_and_watch(args, [])


def require_resumer(args: argparse.Namespace) -> None:
    """Reopening a show undoes a decision: its abort or its end."""
    from lionstudio.cli._person import require_person
    from lionstudio.runs.callers.caller import Subject
    from lionstudio.shows.records.show_dir import find_show_dir

    show_dir = find_show_dir(db_access.settings_of(args), args.topic)
    require_person(args, f"li show resume {args.topic}", subject=Subject(args.topic), show_dir=show_dir)


def start_and_watch(args: argparse.Namespace, director_options: list[str]) -> int:
    """Start a director unless one is running, then watch the show."""
    from lionstudio.cli._show.decide import environment
    from lionstudio.cli._show.template import check_placeholders
    from lionstudio.cli._show.trust import check_trust
    from lionstudio.cli._show.watch import watch
    from lionstudio.cli._show.workers import goes_to_workers, start_for_workers
    from lionstudio.cli._toolkit.terminal import say
    from lionstudio.model.shows.show_files import PLAN
    from lionstudio.shows.process.lock import has_director, start_director
    from lionstudio.shows.records.show_dir import find_show_dir

    settings = db_access.settings_of(args)
    show_dir = find_show_dir(settings, args.topic)
    if not os.path.isdir(show_dir) and not _has_rows(settings.db, args.topic):
        raise NotFound(f"show {args.topic} not found", hint=f"li show plan {args.topic}")
    if goes_to_workers(args, settings, show_dir):
        check_placeholders(args.topic, os.path.join(show_dir, PLAN))
        check_trust(args.topic, os.path.join(show_dir, PLAN), settings)
        attached = start_for_workers(args, settings, show_dir, again="--again" in director_options)
        if attached:
            say(f"Attached to {args.topic}", quiet=args.quiet or args.json)
        return watch(args, settings, show_dir, attached=attached)
    options = [*director_options, *(["--concurrency", str(args.concurrency)] if args.concurrency else [])]
    attached = has_director(show_dir)
    if attached:
        say(f"Attached to {args.topic}", quiet=args.quiet or args.json)
        if args.concurrency:
            from lionstudio.shows.execute.budget import set_concurrency

            set_concurrency(show_dir, args.concurrency)  # the running director reads it
    else:
        check_placeholders(args.topic, os.path.join(show_dir, PLAN))
        check_trust(args.topic, os.path.join(show_dir, PLAN), settings)
        os.makedirs(show_dir, mode=0o700, exist_ok=True)
        with db_access.database(settings.db, create=True):
            pass  # the view below needs an existing database
        start_director(show_dir, options, environment(settings))
    return watch(args, settings, show_dir, attached=attached)


def _has_rows(db: str, topic: str) -> bool:
    """Whether the database has a show whose folder is gone."""
    from lionstudio.state.shows import find_show

    try:
        with db_access.reading(db) as conn:
            return find_show(conn, topic) is not None
    except NotFound:
        return False
