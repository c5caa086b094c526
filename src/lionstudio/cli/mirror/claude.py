"""`li mirror claude`: import Claude Code transcripts."""

from __future__ import annotations

import argparse

from lionstudio.cli.mirror import _shared
from lionstudio.imports.transcripts.tools import CLAUDE

DESCRIPTION = """\
Import Claude Code transcripts: each conversation becomes a session, each sub-agent a branch of it. Later calls read
only new messages; messages that Claude Code deletes stay in the database. The format is in docs/mirror-claude.md."""
EXAMPLES = (
    ("li mirror claude", "import new messages once"),
    ("li mirror claude --follow", "keep importing until Ctrl-C"),
    ("li mirror claude --dry-run", "preview"),
    ("li mirror claude --root /backup/.claude", "the data of another machine or user"),
)


def register(parser: argparse.ArgumentParser) -> None:
    _shared.register(parser, CLAUDE)


def run(args: argparse.Namespace) -> int:
    return _shared.run(args, CLAUDE)
