"""`li show redo`: have a play done once more, whatever its attempts."""

from __future__ import annotations

import argparse

from lionstudio.cli._show.decide import add_arguments, record_decision
from lionstudio.model.shows.decisions import DecisionKind

DESCRIPTION = """\
Have a play done once more with your feedback, even when its attempts are used up. An agent that works on it now is
stopped first; what it left in the checkout stays there. A merged play is final: add another one to the plan
instead."""
EXAMPLES = (
    ("li show redo parser lexer --feedback 'use the tokenizer that is there'", "once more, with that"),
    ("li show redo parser lexer --resume", "and a director goes on with the show in the background"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li show redo`."""
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Leave the word."""
    return record_decision(args, DecisionKind.REDO)
