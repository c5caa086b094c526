"""`li show reject`: reject a play."""

from __future__ import annotations

import argparse

from lionstudio.cli._show.decide import add_arguments, record_decision
from lionstudio.model.shows.decisions import DecisionKind

DESCRIPTION = """\
Reject a play: it is redone with your feedback while it has attempts left. An escalated play is given up; dependent
plays stay blocked. Without PLAY, a show that waits for its final approval ends as aborted."""
EXAMPLES = (
    ("li show reject parser lexer --feedback 'numbers may have underscores'", "redo with feedback"),
    ("li show reject parser ui", "give up an escalated play"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, play_optional=True)


def run(args: argparse.Namespace) -> int:
    return record_decision(args, DecisionKind.REJECT)
