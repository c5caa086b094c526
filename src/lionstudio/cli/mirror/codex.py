"""`li mirror codex`: Codex's transcripts."""

from __future__ import annotations

import argparse

from lionstudio.cli.mirror import _shared
from lionstudio.imports.transcripts.tools import CODEX

DESCRIPTION = """\
Read the transcripts that Codex keeps into the database: every thread a session, every sub-agent a branch of it.
Run again, it reads only what is new; what is deleted there stays here. docs/mirror-codex.md has the format."""
EXAMPLES = (
    ("li mirror codex", "everything that is new, once"),
    ("li mirror codex --follow", "and whatever is written from now on, until Ctrl-C"),
    ("li mirror codex --dry-run", "say what there is, write nothing"),
    ("li mirror codex --root /backup/.codex", "the folder of another machine or user"),
)


def register(parser: argparse.ArgumentParser) -> None:
    _shared.register(parser, CODEX)


def run(args: argparse.Namespace) -> int:
    """Mirror once, or follow."""
    return _shared.run(args, CODEX)
