"""`li show abort`: stop a show now."""

from __future__ import annotations

import argparse
import os
import time

from lionstudio.cli._person import Decider, require_person
from lionstudio.cli._show.decide import check_folder, report
from lionstudio.cli._show.load import load_show
from lionstudio.cli._show.workers import is_directed, is_for_workers
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.humanize import count
from lionstudio.errors import IllegalTransition, InvalidInput, LionError
from lionstudio.model.redaction.process import redactor
from lionstudio.model.shows.show_files import ABORT
from lionstudio.model.status.statuses import SHOWS, ShowStatus, row_of
from lionstudio.runs.callers.caller import Subject
from lionstudio.runs.stop import GRACE_SECONDS
from lionstudio.settings import Settings
from lionstudio.shows.attempt.attempt_files import is_held, request_stop, session_of, unfinished_attempts
from lionstudio.shows.records.decision_rows import put_abort
from lionstudio.shows.records.decisions import log_decision
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.system.atomic_write import write_text
from lionstudio.system.session_processes import end_processes_of

DESCRIPTION = """\
Stop a show now: its agents are stopped and nothing more is started or merged. Merged work stays merged, unmerged work
stays on its branch, and `li show resume` continues the show. Without a director, one is started to record the abort;
agents are stopped even if it cannot start because the plan is invalid."""
EXAMPLES = (
    ("li show abort parser", "stop the show"),
    ("li show abort parser --feedback 'the design has changed'", "with a reason"),
    ("li show resume parser", "continue after all"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", type=utf8, metavar="TOPIC", help="name of the show")
    parser.add_argument("--feedback", type=utf8, metavar="TEXT", help="reason for the abort")


def run(args: argparse.Namespace) -> int:
    """Write `_ABORT`, stop the agents, and make sure that a director records the end of the show."""
    settings = db_access.settings_of(args)
    folder = find_show_dir(settings, args.topic)
    status = _status(args)
    if status is not None:
        check_folder(load_show(args), folder, settings)
    if status is not None and row_of(SHOWS, status).has_ended and not is_directed(settings, folder):
        raise IllegalTransition(f"show {args.topic} has already ended: {status}", hint="li show ls")
    decider = require_person(args, f"li show abort {args.topic}", subject=Subject(args.topic), show_dir=folder)
    if is_for_workers(settings, args.topic):
        return _abort_by_row(args, settings, folder, decider)
    log_decision(folder, "abort", feedback=args.feedback, by=decider.name, origin=decider.origin)
    write_text(os.path.join(folder, ABORT), f"{redactor().text(args.feedback or '')}\n{time.time()}\n")
    stopped = _stop_agents(folder)
    args.resume = True
    try:
        report(args, folder, f"Aborting {args.topic}", {"aborted": True})
    except LionError as error:
        raise LionError(
            f"stopped {count(stopped, 'agent')} of {args.topic}, but could not record the abort: {error.message}",
            hint=f"fix that, then li show abort {args.topic}",
        ) from None
    return 0


def _abort_by_row(args: argparse.Namespace, settings: Settings, folder: str, decider: Decider) -> int:
    """Abort a show that workers play; its orders are stopped at once."""
    with db_access.database(settings.db) as database:
        database.write(lambda conn: put_abort(conn, args.topic, args.feedback, decider.name, decider.origin))
    args.resume = True
    report(args, folder, f"Aborting {args.topic}", {"aborted": True})
    return 0


def _status(args: argparse.Namespace) -> ShowStatus | None:
    """None for a show without rows and with an unreadable plan: its agents may still run."""
    try:
        return load_show(args).show.status
    except InvalidInput:
        return None


def _stop_agents(folder: str) -> int:
    """Stop every agent without a director, because a show with an invalid plan has none."""
    attempts = unfinished_attempts(folder)
    for attempt in attempts:
        request_stop(attempt, "the show was aborted")
        session_id = session_of(attempt)
        if session_id is not None and not is_held(attempt):  # its supervisor was killed
            end_processes_of(session_id, grace=GRACE_SECONDS)
    return len(attempts)
