"""`li show reject`: do not let a play pass."""

from __future__ import annotations

import argparse

from lionstudio.cli._show.decide import add_arguments, record_decision
from lionstudio.model.shows.decisions import DecisionKind

DESCRIPTION = """\
Do not let a play pass: it is redone with your feedback while it has attempts left. An escalated play is given up;
what depends on it stays blocked. Without a play, a show that waits for its last word ends as aborted."""
EXAMPLES = (
    ("li show reject parser lexer --feedback 'numbers may have underscores'", "once more, with that"),
    ("li show reject parser ui", "an escalated play is given up"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li show reject`."""
    add_arguments(parser, play_may_be_missing=True)


def run(args: argparse.Namespace) -> int:
    """Leave the word."""
    return record_decision(args, DecisionKind.REJECT)
