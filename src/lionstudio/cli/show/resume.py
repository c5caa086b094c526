"""`li show resume`: take a show up again, from whatever is left of it."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.args import words
from lionstudio.cli.show.run import add_watch_options, start_and_watch

DESCRIPTION = """\
Take a show up again after a crash, a reboot, an abort or a decision: agents that still run are adopted, no finished
play runs again, nothing is merged twice. The files of the show are enough for that, and so are its rows. A show that
has a director is only watched."""
EXAMPLES = (
    ("li show resume parser", "go on where it stood, and watch"),
    ("li show resume parser --detach", "go on in the background"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", type=words, metavar="TOPIC", help="the show: the name of its folder")
    add_watch_options(parser)


def run(args: argparse.Namespace) -> int:
    """Start a director again, unless there is one."""
    return start_and_watch(args, ["--again"])
