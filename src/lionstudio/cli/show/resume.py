"""`li show resume`: continue a show after a crash, a reboot, an abort or a decision."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli.show.run import add_watch_options, require_resumer, start_and_watch

DESCRIPTION = """\
Continue a show after a crash, a reboot, an abort or a decision: running agents are adopted, no finished play runs again
and nothing is merged twice. Either the files of the show or its rows are enough. A show with a running director is only
watched."""
EXAMPLES = (
    ("li show resume parser", "continue the show and watch it"),
    ("li show resume parser --detach", "continue in the background"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", type=utf8, metavar="TOPIC", help="name of the show")
    add_watch_options(parser)


def run(args: argparse.Namespace) -> int:
    """Start a director unless one is running."""
    require_resumer(args)
    return start_and_watch(args, ["--again"])
