"""Shows that the workers of a hub play: find them, start them, tell whether one is directed."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.workers._hub import require_hub
from lionstudio.errors import InvalidInput, LionError, NotFound
from lionstudio.files.shows.plan_reader import parse_plan
from lionstudio.model.shows.show_files import PLAN
from lionstudio.settings import Settings
from lionstudio.show_sync.actions import has_begun
from lionstudio.shows.process.lock import has_director
from lionstudio.state.backends import is_server
from lionstudio.state.shows import find_show, list_plays
from lionstudio.state.workers.orders import Work, find_director_error, find_show_order, list_orders
from lionstudio.system.safe_read import read_text


def is_for_workers(settings: Settings, topic: str) -> bool:
    """Whether workers play a show."""
    if not is_server(settings.db):
        return False
    try:
        with db_access.reading(settings.db) as conn:
            show = find_show(conn, topic)
    except NotFound:
        return False
    return show is not None and show.is_for_workers


def goes_to_workers(args: argparse.Namespace, settings: Settings, show_dir: str) -> bool:
    """Whether workers play a show already, or are to play it, by its plan and the options."""
    stays, wanted = getattr(args, "here", False), getattr(args, "workers", False)
    known = is_for_workers(settings, args.topic)
    if stays and known:
        raise InvalidInput(f"{args.topic} is played by workers already", hint=f"li show run {args.topic}")
    if wanted:
        require_hub(settings, "--workers")
    if stays or known or wanted:
        return not stays
    plan = None
    try:
        plan, _ = parse_plan(args.topic, read_text(os.path.join(show_dir, PLAN)))
    except LionError:
        return False  # reported by the director
    if plan is None or plan.remote is None:
        return False
    if not is_server(settings.db):
        say("`remote` in the plan is ignored: workers need a hub (li hub init)", quiet=args.quiet)
        return False
    with db_access.reading(settings.db) as conn:
        show = find_show(conn, args.topic)  # `li show plan` has stored it
        began = show is not None and has_begun([str(play.status) for play in list_plays(conn, show.id)])
    return not began and not has_director(show_dir)  # one that began here ends here


def start_for_workers(args: argparse.Namespace, settings: Settings, show_dir: str, *, again: bool) -> bool:
    """Order that a worker directs a show; return whether one does already."""
    from lionstudio.shows.workers.submit import send_edit, submit_show

    def warn(text: str) -> None:
        say(inline(text), quiet=args.quiet)

    with db_access.database(settings.db) as database:
        if send_edit(show_dir, settings, database):
            say(f"The edited plan of {args.topic} was sent to its director", quiet=args.quiet or args.json)
        submitted = submit_show(show_dir, settings, database, again=again, concurrency=args.concurrency, warn=warn)
    if submitted.is_new:
        _say_missing(args, settings)
    return not submitted.is_new


def _say_missing(args: argparse.Namespace, settings: Settings) -> None:
    from lionstudio.state.workers.workers import list_workers

    with db_access.reading(settings.db) as conn:
        workers = list_workers(conn)
    if not any(worker.is_fresh for worker in workers):
        say("No worker is connected yet; the show starts when one connects. Start one: li worker", quiet=args.quiet)


def direct_by_workers(settings: Settings, show_dir: str, *, again: bool) -> None:
    """Order that a worker directs a show that has rows."""
    from lionstudio.shows.workers.submit import submit_show

    with db_access.database(settings.db) as database:
        submit_show(show_dir, settings, database, again=again)


def is_directed(settings: Settings, show_dir: str) -> bool:
    """Whether a process of this machine, or a worker, directs the show, or is about to."""
    if has_director(show_dir):
        return True
    topic = os.path.basename(show_dir)
    if not is_for_workers(settings, topic):
        return False
    with db_access.reading(settings.db) as conn:
        return find_show_order(conn, topic) is not None


def why_left(settings: Settings, topic: str) -> str | None:
    """Why the last director of a show that workers play gave up."""
    if not is_for_workers(settings, topic):
        return None
    with db_access.reading(settings.db) as conn:
        return find_director_error(conn, topic)


def has_open_work(settings: Settings, topic: str) -> bool:
    """Whether orders of a show are open, besides the one that directs it, or no worker has that one."""
    with db_access.reading(settings.db) as conn:
        orders = list_orders(conn, topic)
    return any(order.work is not Work.SHOW or order.worker_id is None for order in orders)
