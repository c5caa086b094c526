"""`li mirror claude`: Claude Code's transcripts."""

from __future__ import annotations

import argparse

from lionstudio.cli.mirror import _shared
from lionstudio.imports.transcripts.tools import CLAUDE

DESCRIPTION = """\
Read the transcripts that Claude Code keeps into the database: every conversation a session, every sub-agent a
branch of it. Run again, it reads only what is new; what Claude Code deletes stays here. docs/mirror-claude.md has
the format."""
EXAMPLES = (
    ("li mirror claude", "everything that is new, once"),
    ("li mirror claude --follow", "and whatever is written from now on, until Ctrl-C"),
    ("li mirror claude --dry-run", "say what there is, write nothing"),
    ("li mirror claude --root /backup/.claude", "the folder of another machine or user"),
)


def register(parser: argparse.ArgumentParser) -> None:
    _shared.register(parser, CLAUDE)


def run(args: argparse.Namespace) -> int:
    """Mirror once, or follow."""
    return _shared.run(args, CLAUDE)
