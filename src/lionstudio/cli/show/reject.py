"""`li show reject`: reject a play."""

from __future__ import annotations

import argparse

from lionstudio.cli._show.decide import add_arguments, find_decidable, record_decision
from lionstudio.model.shows.decisions import DecisionKind

DESCRIPTION = """\
Reject a play: it is redone with your feedback while it has attempts left. An escalated play is given up; dependent
plays stay blocked. Without PLAY, an edit that weakens the plan is undone (it is kept in _show.rejected.md), and commits
that the show did not make are checked again; otherwise a show that waits for its final approval ends as aborted."""
EXAMPLES = (
    ("li show reject parser lexer --feedback 'numbers may have underscores'", "redo with feedback"),
    ("li show reject parser ui", "give up an escalated play"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, play_optional=True)


def run(args: argparse.Namespace) -> int:
    held = find_decidable(args) if args.play is None else None
    return record_decision(args, DecisionKind.REJECT, held=held)
