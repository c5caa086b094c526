"""`li show escalate`: stop a play and hand it to a person."""

from __future__ import annotations

import argparse

from lionstudio.cli._show.decide import add_arguments, record_decision
from lionstudio.model.shows.decisions import DecisionKind

DESCRIPTION = """\
Stop a play and hand it to a person: its agent is stopped, nothing more is tried, and dependent plays are blocked until
you approve, redo or reject it."""
EXAMPLES = (
    ("li show escalate parser lexer --feedback 'the spec is wrong, wait'", "stop the play until you decide"),
    ("li show redo parser lexer", "let the director continue"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    return record_decision(args, DecisionKind.ESCALATE)
