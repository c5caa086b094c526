"""`li show abort`: end a show now."""

from __future__ import annotations

import argparse
import os
import time

from lionstudio.cli._show import load
from lionstudio.cli._show.decide import report
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import words
from lionstudio.errors import IllegalTransition, InvalidInput, LionError
from lionstudio.files.shows.show_folder import ABORT
from lionstudio.model.status.statuses import SHOWS, ShowStatus, row_of
from lionstudio.runs.stop import GRACE_SECONDS
from lionstudio.shows.attempt.attempt_files import ask_to_stop, is_held, session_of, unfinished
from lionstudio.shows.process.lock import has_director
from lionstudio.shows.records.decisions import log
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.system.atomic_write import write_text
from lionstudio.system.session_processes import end_processes_of

DESCRIPTION = """\
End a show now: agents are stopped, nothing more is started or merged. What is merged stays merged, what was done
stays on its branch, and `li show resume` takes the show up again. Without a director one is started to take the end
down; agents are ended also where it cannot start, because the plan has a mistake."""
EXAMPLES = (
    ("li show abort parser", "stop everything"),
    ("li show abort parser --feedback 'the design has changed'", "and say why"),
    ("li show resume parser", "it was a mistake: go on"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li show abort`."""
    parser.add_argument("topic", type=words, metavar="TOPIC", help="the show")
    parser.add_argument("--feedback", type=words, metavar="TEXT", help="why")


def run(args: argparse.Namespace) -> int:
    """Leave `_ABORT`, end the agents, and see that somebody takes the end of the show down."""
    folder = find_show_dir(db_access.settings_of(args), args.topic)
    status = _status(args)
    if status is not None and row_of(SHOWS, status).has_ended and not has_director(folder):
        raise IllegalTransition(f"the show {args.topic} has ended: it is {status}", hint="li show ls")
    log(folder, "abort", feedback=args.feedback)
    write_text(os.path.join(folder, ABORT), f"{args.feedback or ''}\n{time.time()}\n")
    ended = _end_agents(folder)
    args.resume = True
    try:
        report(args, folder, f"{args.topic} is being aborted", {"aborted": True})
    except LionError as error:
        raise LionError(
            f"agents of {args.topic} that were told to end: {ended}; but its end cannot be taken down: {error.message}",
            hint=f"correct what is wrong there, then say `li show abort {args.topic}` again",
        ) from None
    return 0


def _status(args: argparse.Namespace) -> ShowStatus | None:
    """None for a show that only has a folder, with a plan that cannot be read: agents may run all the same."""
    try:
        return load.get(args).show.status
    except InvalidInput:
        return None


def _end_agents(folder: str) -> int:
    """Have every agent ended without a director, which a plan with a mistake does not get."""
    found = unfinished(folder)
    for attempt in found:
        ask_to_stop(attempt, "the show was aborted")
        session_id = session_of(attempt)
        if session_id is not None and not is_held(attempt):  # its supervisor was killed
            end_processes_of(session_id, grace=GRACE_SECONDS)
    return len(found)
