"""`li ps`: what runs, whether it lives, and what says so."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from lionstudio.cli import stores
from lionstudio.cli.amounts import ago, span
from lionstudio.cli.escaping import inline
from lionstudio.cli.jsonout import print_json
from lionstudio.cli.output import emit_lines
from lionstudio.cli.runs import running_sessions
from lionstudio.cli.tables import Cell, Column, render
from lionstudio.cli.terminal import TONES, say, styles_for, width_of
from lionstudio.errors import NotFound
from lionstudio.state.proofs import proof_of

DESCRIPTION = "List what runs now, with its health and the evidence for it."
EXAMPLES = (
    ("li ps", "what runs now"),
    ("li ps --json | jq '.sessions[] | select(.state.health == \"process_dead\") | .id'", "what only seems to run"),
)
_SHORT_ID = 13  # as in `li state ls`; enough to name it
_ALL = 10_000  # columns: nobody's pipe is a narrow terminal
_COLUMNS = (
    Column("ID"),
    Column("HEALTH"),
    Column("NAME", narrowest=16),
    Column("RUNS FOR", right=True),
    Column("LAST MESSAGE", right=True, rank=3),
    Column("MESSAGES", right=True, rank=1),
    Column("EVIDENCE", narrowest=20, rank=2),
)


def register(parser: argparse.ArgumentParser) -> None:
    """`li ps` has no options of its own."""


def run(args: argparse.Namespace) -> int:
    """Print the running sessions."""
    try:
        with stores.reading(stores.settings_of(args).db) as conn:
            rows = running_sessions(conn)
    except NotFound:
        rows = []  # nothing was ever recorded here, so nothing runs
    if args.json:
        print_json({"schema_version": 1, "sessions": rows})
        return 0
    if not rows:
        say("nothing runs", quiet=args.quiet)
        return 0
    now, room = time.time(), width_of(sys.stdout)
    paint = styles_for(sys.stdout, refused=args.no_color)
    emit_lines(render(_COLUMNS, [_cells(row, now) for row in rows], room if sys.stdout.isatty() else _ALL, paint))
    return 0


def _cells(row: dict[str, Any], now: float) -> list[Cell]:
    state = row["state"]
    last = row["last_message_at"]
    seen = [reason["evidence"] for reason in state["reasons"] if reason["evidence"]]
    evidence = "; ".join(seen or proof_of(row).evidence)
    return [
        Cell(row["id"][:_SHORT_ID] if sys.stdout.isatty() else row["id"]),
        Cell(inline(state["health"].replace("_", " ")), TONES[state["tone"]]),
        Cell(inline(row["name"] or "")),
        Cell(span(now - (row["started_at"] or row["created_at"]))),
        Cell(ago(last, now) if last else "never"),
        Cell(str(row["message_count"])),
        Cell(inline(evidence)),
    ]
