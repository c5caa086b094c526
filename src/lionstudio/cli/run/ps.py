"""`li ps`: list active runs, their health and the evidence."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, iso, short_id, span
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import TONES, is_terminal, say, styles_for, width_of
from lionstudio.cli.run._targets import running_sessions
from lionstudio.errors import NotFound
from lionstudio.runs.spool import list_spools, take_in_spools

DESCRIPTION = """\
List active runs with their health and the evidence for it. In a pipe, each run is one line of tab-separated fields: id,
health, start time, time of the last message, message count, name and evidence."""
EXAMPLES = (
    ("li ps", "active runs"),
    ("li ps --json | jq '.sessions[] | select(.state.health == \"process_dead\") | .id'", "runs whose process is gone"),
)
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
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    path = db_access.settings_of(args).db
    try:
        if list_spools(path):
            for message in take_in_spools(path):
                say(message, quiet=args.quiet)
        with db_access.reading(path) as conn:
            rows = running_sessions(conn)
    except NotFound:
        rows = []  # no database yet, so nothing runs
    if args.json:
        print_json({"schema_version": 1, "sessions": rows})
        return 0
    if not rows:
        say("No active runs.", quiet=args.quiet)
        return 0
    if not is_terminal():
        emit_lines("\t".join(_plain_cells(row)) for row in rows)
        return 0
    paint, now = styles_for(sys.stdout, refused=args.no_color), time.time()
    emit_lines(render(_COLUMNS, [_cells(row, now) for row in rows], width_of(sys.stdout), paint))
    return 0


def _plain_cells(row: dict[str, Any]) -> list[str]:
    started, last = row["started_at"] or row["created_at"], row["last_message_at"]
    cells = (
        row["id"],
        row["state"]["health"],
        iso(started),
        iso(last),
        row["message_count"],
        row["display_name"],
        _evidence(row),
    )
    return ["" if value is None else inline(str(value)) for value in cells]


def _evidence(row: dict[str, Any]) -> str:
    evidence = [reason["evidence"] for reason in row["state"]["reasons"] if reason["evidence"]]
    return "; ".join(evidence) or row["liveness"]["summary"]


def _cells(row: dict[str, Any], now: float) -> list[Cell]:
    state = row["state"]
    last = row["last_message_at"]
    return [
        Cell(short_id(row["id"])),
        Cell(inline(state["health"].replace("_", " ")), TONES[state["tone"]]),
        Cell(inline(row["display_name"])),
        Cell(span(now - (row["started_at"] or row["created_at"]))),
        Cell(ago(last, now) if last else "never"),
        Cell(str(row["message_count"])),
        Cell(inline(_evidence(row))),
    ]
