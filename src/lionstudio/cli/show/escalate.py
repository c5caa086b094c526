"""`li show escalate`: take a play out of the director's hands."""

from __future__ import annotations

import argparse

from lionstudio.cli._show.decide import add_arguments, record_decision
from lionstudio.model.shows.decisions import DecisionKind

DESCRIPTION = """\
Take a play out of the director's hands: its agent is stopped, nothing more is tried, and what depends on it is
blocked until you approve, redo or reject it."""
EXAMPLES = (
    ("li show escalate parser lexer --feedback 'the spec is wrong, wait'", "stop it until somebody decides"),
    ("li show redo parser lexer", "give it back"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li show escalate`."""
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Leave the word."""
    return record_decision(args, DecisionKind.ESCALATE)
