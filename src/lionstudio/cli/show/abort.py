"""`li show abort`: end a show now."""

from __future__ import annotations

import argparse
import os
import time

from lionstudio.cli import stores
from lionstudio.cli.parsing import words
from lionstudio.cli.show import finding
from lionstudio.cli.show.deciding import report
from lionstudio.errors import IllegalMove
from lionstudio.files.atomic import write_text
from lionstudio.files.shows import ABORT
from lionstudio.model.statuses import ShowStatus
from lionstudio.shows.decisions import log
from lionstudio.shows.directors import is_directed
from lionstudio.shows.finding import find_show_dir

DESCRIPTION = """\
End a show now: agents are stopped, nothing more is started or merged. What is merged stays merged, what was done
stays on its branch, and `li show resume` takes the show up again. Without a director one is started to carry it
out."""
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
    """Leave `_ABORT`, and see that somebody acts on it."""
    found = finding.get(args)
    folder = find_show_dir(stores.settings_of(args), args.topic)
    if found.show.status in (ShowStatus.ABORTED, ShowStatus.COMPLETED) and not is_directed(folder):
        raise IllegalMove(f"the show {args.topic} has ended: it is {found.show.status}", hint="li show ls")
    log(folder, "abort", feedback=args.feedback)
    write_text(os.path.join(folder, ABORT), f"{args.feedback or ''}\n{time.time()}\n")
    # only a director may end agents, and it leaves as soon as it has
    args.resume = True
    report(args, folder, f"{args.topic} is being aborted", {"aborted": True})
    return 0
