"""`li show redo`: queue a play for another attempt."""

from __future__ import annotations

import argparse

from lionstudio.cli._show.decide import add_arguments, record_decision
from lionstudio.model.shows.decisions import DecisionKind

DESCRIPTION = """\
Queue a play for another attempt with your feedback, even if its attempts are used up. A running agent is stopped first;
its files stay in the checkout. A merged play is final: add another play to the plan instead."""
EXAMPLES = (
    ("li show redo parser lexer --feedback 'use the tokenizer that is there'", "another attempt with feedback"),
    ("li show redo parser lexer --resume", "and continue the show in the background"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    return record_decision(args, DecisionKind.REDO)
