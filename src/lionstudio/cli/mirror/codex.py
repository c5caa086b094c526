"""`li mirror codex`: import Codex transcripts."""

from __future__ import annotations

import argparse

from lionstudio.cli.mirror import _shared
from lionstudio.imports.transcripts.tools import CODEX

DESCRIPTION = """\
Import Codex transcripts: each thread becomes a session, each sub-agent a branch of it. Later calls read only new
messages; messages that Codex deletes stay in the database. The format is in docs/mirror-codex.md."""
EXAMPLES = (
    ("li mirror codex", "import new messages once"),
    ("li mirror codex --follow", "keep importing until Ctrl-C"),
    ("li mirror codex --dry-run", "preview"),
    ("li mirror codex --root /backup/.codex", "the data of another machine or user"),
)


def register(parser: argparse.ArgumentParser) -> None:
    _shared.register(parser, CODEX)


def run(args: argparse.Namespace) -> int:
    return _shared.run(args, CODEX)
