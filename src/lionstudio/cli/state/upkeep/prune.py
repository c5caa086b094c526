"""`li state prune`: delete old sessions, after showing what would go and what stays for which reason."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer
from lionstudio.cli._toolkit.confirm import confirm
from lionstudio.cli._toolkit.humanize import count, size
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.progress import Progress
from lionstudio.cli._toolkit.terminal import say
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.maintenance import checkpoint, give_back_pages
from lionstudio.state.upkeep.prune import Pruned, PrunePlan, plan_prune, prune

DESCRIPTION = """\
Delete sessions that were not updated for --keep-days days, except the --keep-n newest. Running sessions, and
those that a play, a team or a fork refers to, always stay. Messages stay too, unless --orphan-progressions
is given: only then does the file get smaller."""
EXAMPLES = (
    ("li state prune --dry-run", "what would go, with the settings' 30 days and 100 sessions"),
    ("li state prune --keep-days 90 --keep-n 500", "show the plan, ask, delete"),
    ("li state prune --orphan-progressions --yes", "with their messages, without asking: for a timer"),
)
_DAY = 86400


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--keep-days", type=integer(), metavar="N", help="keep what was updated in the last N days (setting: 30)")
    add("--keep-n", type=integer(), metavar="M", help="always keep the M newest sessions (setting: 100)")
    add("--orphan-progressions", action="store_true", help="also delete messages that nothing refers to any more")
    add("--dry-run", action="store_true", help="only show the plan")
    add("--yes", action="store_true", help="delete without asking")


def run(args: argparse.Namespace) -> int:
    """Show the plan; delete when asked to."""
    settings = db_access.settings_of(args)
    if args.dry_run:
        with db_access.reading(settings.db) as conn:
            _print(args, _plan(conn, args, settings.keep_days, settings.keep_n), None, 0)
        return 0
    # refused before anything is read: a script without --yes should fail at once
    consent = confirm(args, "a prune deletes sessions for good")
    with db_access.writing(settings.db, quiet=args.quiet) as conn:
        plan = _plan(conn, args, settings.keep_days, settings.keep_n)
        if _is_nothing(plan):
            _print(args, plan, Pruned(0, 0, 0), 0)
            return 0
        if not args.yes:
            say("\n".join(_lines(plan, args)))
        if not consent(f"Delete {_listed(plan.sessions, plan.orphan_progressions, plan.orphan_messages)} for good?"):
            say("Nothing was deleted.")
            return 1
        pruned = _carry_out(conn, plan, args.quiet)
        given_back = _give_back(conn) if args.orphan_progressions else 0
    _print(args, plan, pruned, given_back)
    return 0


def _plan(conn: Connection, args: argparse.Namespace, keep_days: int, keep_n: int) -> PrunePlan:
    days, newest = args.keep_days, args.keep_n
    args.keep_days = keep_days if days is None else days
    args.keep_n = keep_n if newest is None else newest
    with db_access.watched(conn, "Looking for what may go", quiet=args.quiet):
        return plan_prune(
            conn,
            before=time.time() - args.keep_days * _DAY,
            keep_n=args.keep_n,
            orphan_progressions=args.orphan_progressions,
        )


def _is_nothing(plan: PrunePlan) -> bool:
    return not (plan.sessions or plan.orphan_progressions or plan.orphan_messages)


def _carry_out(conn: Connection, plan: PrunePlan, quiet: bool) -> Pruned:
    before = {"sessions": 0, "progressions": plan.sessions, "messages": plan.sessions + plan.orphan_progressions}
    total = plan.sessions + plan.orphan_progressions + plan.orphan_messages
    with Progress("Deleting", total, quiet=quiet) as progress:
        return prune(conn, lambda what, done: progress.show(before[what] + done))


def _give_back(conn: Connection) -> int:
    given_back = 0
    while step := give_back_pages(conn):
        given_back += step
    checkpoint(conn, "PASSIVE")  # the file itself shrinks when the log is folded back
    return given_back


def _print(args: argparse.Namespace, plan: PrunePlan, pruned: Pruned | None, given_back: int) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        deleted = None if pruned is None else {**pruned._asdict(), "bytes_given_back": given_back}
        asked = {"keep_days": args.keep_days, "keep_n": args.keep_n, "orphan_progressions": args.orphan_progressions}
        print_json({"dry_run": pruned is None, **asked, "plan": plan._asdict(), "deleted": deleted})
    elif pruned is None:
        emit_lines(_lines(plan, args))
    elif _is_nothing(plan):
        emit_lines(["Nothing was deleted.", *_kept(plan)])
    else:
        back = f"; {size(given_back)} given back to the disk" if given_back else ""
        emit(f"Deleted {_listed(*pruned)}{back}.\n")


def _listed(sessions: int, progressions: int, messages: int) -> str:
    parts = [count(sessions, "session")]
    parts += [count(progressions, "progression")] if progressions else []
    parts += [count(messages, "message")] if messages else []
    return ", ".join(parts)


def _lines(plan: PrunePlan, args: argparse.Namespace) -> Iterator[str]:
    """The plan in words."""
    rule = f"not updated for {count(args.keep_days, 'day')}, beyond the {args.keep_n:,} newest"
    if not plan.sessions:
        yield f"No session is to be deleted ({rule})."
    else:
        yield f"To be deleted: {count(plan.sessions, 'session')} ({rule})."
    freed = f"{count(plan.orphan_messages, 'message')}, {size(plan.bytes_freed)}"
    if args.orphan_progressions:
        yield f"With them: {count(plan.orphan_progressions, 'progression')}, {freed}."
    elif plan.orphan_messages:
        yield f"Also what nothing refers to any more: {freed}."
    if plan.sessions and not args.orphan_progressions:
        yield "Their messages stay in the file; --orphan-progressions deletes those too."
    yield from _kept(plan)


def _kept(plan: PrunePlan) -> Iterator[str]:
    reasons = (
        (plan.kept_running, "running"),
        (plan.kept_for_plays, "a play refers to it"),
        (plan.kept_for_teams, "a team refers to it"),
        (plan.kept_for_forks, "a fork reads its messages"),
    )
    for number, reason in reasons:
        if number:
            yield f"Kept although old enough: {count(number, 'session')} ({reason})."
