"""`li state prune`: delete old sessions, after showing the plan."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer
from lionstudio.cli._toolkit.confirm import confirm
from lionstudio.cli._toolkit.humanize import count, size
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.progress import ProgressBar
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import InvalidInput
from lionstudio.state.backends import maintenance
from lionstudio.state.connection import Connection
from lionstudio.state.upkeep.prune import Pruned, PrunePlan, plan_prune, prune

DESCRIPTION = """\
Delete sessions not updated for --keep-days days, except the --keep-n newest. Running sessions, and sessions that a
play, a team or a fork refers to, are always kept. The messages of deleted sessions stay in the file, and searches find
them, unless --delete-messages is set: only then does the file shrink. `li state rm` deletes single sessions."""
EXAMPLES = (
    ("li state prune --dry-run", "preview with the settings (30 days, 100 sessions)"),
    ("li state prune --keep-days 90 --keep-n 500", "show the plan, ask, delete"),
    ("li state prune --delete-messages --yes", "including their messages, without asking: for a timer"),
)
_DAY = 86400


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--keep-days",
        type=integer(),
        metavar="N",
        help="keep sessions updated in the last N days (default: setting keep_days, 30)",
    )
    add(
        "--keep-n", type=integer(), metavar="M", help="always keep the M newest sessions (default: setting keep_n, 100)"
    )
    add(
        "--delete-messages",
        "--orphan-progressions",
        dest="orphan_progressions",
        action="store_true",
        help="also delete the messages that belong to no session any more",
    )
    add("--dry-run", action="store_true", help="print the plan and delete nothing")
    add("--yes", action="store_true", help="delete without asking for confirmation")
    add(
        "--clock-is-right",
        action="store_true",
        help="with --yes: delete although even the newest session is old by this clock",
    )


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    if args.dry_run:
        with db_access.reading(settings.db) as conn:
            _print(args, _plan(conn, args, settings.keep_days, settings.keep_n), None, 0)
        return 0
    # before reading anything: a script without --yes should fail at once
    consent = confirm(args, "prune deletes sessions permanently")
    with db_access.writing(settings.db, quiet=args.quiet) as conn:
        plan = _plan(conn, args, settings.keep_days, settings.keep_n)
        if _is_empty(plan):
            _print(args, plan, Pruned(0, 0, 0), 0)
            return 0
        if args.yes and not args.clock_is_right and (warning := _clock_warning(plan, args)):
            raise InvalidInput(warning, hint="check `date`; if it is right, add --clock-is-right")
        if not args.yes:
            say("\n".join(_lines(plan, args)))
        if not consent(f"Delete {_listed(plan.sessions, plan.orphan_progressions, plan.orphan_messages)} permanently?"):
            say("Nothing deleted.")
            return 1
        pruned = _execute(conn, plan, args.quiet)
        reclaimed = _reclaim(conn) if args.orphan_progressions else 0
    _print(args, plan, pruned, reclaimed)
    return 0


def _plan(conn: Connection, args: argparse.Namespace, keep_days: int, keep_n: int) -> PrunePlan:
    days, newest = args.keep_days, args.keep_n
    args.keep_days = keep_days if days is None else days
    args.keep_n = keep_n if newest is None else newest
    with db_access.watched(conn, "Planning", quiet=args.quiet):
        return plan_prune(
            conn,
            before=time.time() - args.keep_days * _DAY,
            keep_n=args.keep_n,
            orphan_progressions=args.orphan_progressions,
        )


def _is_empty(plan: PrunePlan) -> bool:
    return not (plan.sessions or plan.orphan_progressions or plan.orphan_messages)


def _execute(conn: Connection, plan: PrunePlan, quiet: bool) -> Pruned:
    before = {"sessions": 0, "progressions": plan.sessions, "messages": plan.sessions + plan.orphan_progressions}
    total = plan.sessions + plan.orphan_progressions + plan.orphan_messages
    with ProgressBar("Deleting", total, quiet=quiet) as progress:
        return prune(conn, lambda what, done: progress.show(before[what] + done))


def _reclaim(conn: Connection) -> int:
    reclaimed = 0
    while step := maintenance(conn.path).free_pages(conn):
        reclaimed += step
    maintenance(conn.path).checkpoint_after_prune(conn)
    return reclaimed


def _print(args: argparse.Namespace, plan: PrunePlan, pruned: Pruned | None, reclaimed: int) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        deleted = None if pruned is None else {**pruned._asdict(), "bytes_given_back": reclaimed}
        options = {"keep_days": args.keep_days, "keep_n": args.keep_n, "orphan_progressions": args.orphan_progressions}
        print_json({"dry_run": pruned is None, **options, "plan": plan._asdict(), "deleted": deleted})
    elif pruned is None:
        emit_lines(_lines(plan, args))
    elif _is_empty(plan):
        emit_lines(["Nothing deleted.", *_left(plan, "stay"), *_kept(plan)])
    else:
        disk = f" and freed {size(reclaimed)} on disk" if reclaimed else ""
        emit_lines([f"Deleted {_listed(*pruned)}{disk}.", *_left(plan, "stay")])


def _listed(sessions: int, progressions: int, messages: int) -> str:
    parts = [count(sessions, "session")]
    parts += [count(progressions, "progression")] if progressions else []
    parts += [count(messages, "message")] if messages else []
    return ", ".join(parts)


def _lines(plan: PrunePlan, args: argparse.Namespace) -> Iterator[str]:
    rule = f"not updated for {count(args.keep_days, 'day')}, beyond the {args.keep_n:,} newest"
    if not plan.sessions:
        yield f"No sessions to delete ({rule})."
    else:
        yield f"To delete: {count(plan.sessions, 'session')} ({rule})."
    freed = f"{count(plan.orphan_messages, 'message')}, {size(plan.bytes_freed)}"
    if args.orphan_progressions:
        yield f"Also: {count(plan.orphan_progressions, 'progression')}, {freed}."
    elif plan.orphan_messages:
        yield f"Also unreferenced: {freed}."
    yield from _left(plan, "would stay")
    yield from _kept(plan)
    if plan.sessions and (warning := _clock_warning(plan, args)):
        yield f"Warning: {warning}."


def _left(plan: PrunePlan, verb: str) -> Iterator[str]:
    if plan.left_messages:
        messages = f"{count(plan.left_messages, 'message')} ({size(plan.left_bytes)})"
        yield f"{messages} of deleted sessions {verb} in the file and in searches; --delete-messages removes them."


_FAR = 30 * _DAY


def _clock_warning(plan: PrunePlan, args: argparse.Namespace) -> str | None:
    """A sentence when even the newest session is old: then the clock may be wrong, and everything would go."""
    age = time.time() - plan.newest_at if plan.newest_at is not None else 0.0
    if not plan.sessions or age <= max(args.keep_days * _DAY, _FAR):
        return None
    return f"the newest session was updated {age / _DAY:,.0f} days ago by this clock, which may be wrong"


def _kept(plan: PrunePlan) -> Iterator[str]:
    reasons = (
        (plan.kept_running, "running"),
        (plan.kept_for_plays, "referenced by a play"),
        (plan.kept_for_teams, "referenced by a team"),
        (plan.kept_for_forks, "referenced by a fork"),
    )
    for number, reason in reasons:
        if number:
            yield f"Kept despite their age: {count(number, 'session')} ({reason})."
