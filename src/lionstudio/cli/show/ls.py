"""`li show ls`: list shows, their progress and the plays that need you."""

from __future__ import annotations

import argparse
import sys
import time

from lionstudio.cli._show.load import LoadedShow, list_all, progress, show_json
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, iso
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import TONES, is_terminal, say, styles_for, width_of
from lionstudio.model.status.statuses import PLAYS, PLAYS_NEEDING_DECISION, SHOWS, ShowStatus, row_of

EXAMPLES = (
    ("li show ls", "all shows, last changed first"),
    ("li show ls --active", "only active shows"),
    ("li show ls --json | jq -r '.shows[] | select(.state.health == \"waiting\") | .topic'", "shows that need you"),
)
_COLUMNS = (
    Column("TOPIC", narrowest=12),
    Column("STATUS"),
    Column("MERGED", right=True),
    Column("NOW", narrowest=12, rank=1),
    Column("NEEDS YOU", narrowest=12),
    Column("CHANGED", right=True, rank=2),
    Column("GOAL", narrowest=20, rank=3),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--active", action="store_true", help="only shows that have not ended")
    parser.add_argument(
        "--limit", type=integer(1), default=100, metavar="N", help="maximum number of shows (default %(default)s)"
    )


def run(args: argparse.Namespace) -> int:
    shows = [
        loaded
        for loaded in list_all(db_access.settings_of(args))
        if not args.active or loaded.show.status is ShowStatus.ACTIVE
    ][: args.limit]
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"shows": [show_json(loaded) for loaded in shows]})
    elif is_terminal():
        paint, now = styles_for(sys.stdout, refused=args.no_color), time.time()
        if shows:
            emit_lines(render(_COLUMNS, [_cells(loaded, now) for loaded in shows], width_of(sys.stdout), paint))
    else:
        emit("".join("\t".join(_plain(loaded)) + "\n" for loaded in shows))
    if not shows:
        say("No shows. Plan one: li show plan TOPIC --repo . --goal '…'", quiet=args.quiet)
    return 0


def _cells(loaded: LoadedShow, now: float) -> list[Cell]:
    show = loaded.show
    if loaded.error is not None:
        return [Cell(inline(show.topic), "red"), *[Cell("")] * 5, Cell(inline(loaded.error), "red")]
    running = [play.name for play in loaded.plays if row_of(PLAYS, play.status).group == "running"]
    waiting = [play.name for play in loaded.plays if play.status in PLAYS_NEEDING_DECISION]
    return [
        Cell(inline(show.topic)),
        Cell(str(show.status), TONES[row_of(SHOWS, show.status).tone]),
        Cell(progress(loaded.plays)),
        Cell(inline(", ".join(running)), "cyan"),
        Cell(inline(", ".join(waiting)), "yellow"),
        Cell(ago(show.updated_at, now)),
        Cell(inline(show.goal or ""), "dim"),
    ]


def _plain(loaded: LoadedShow) -> list[str]:
    show = loaded.show
    cells = (show.topic, str(show.status), progress(loaded.plays), iso(show.updated_at) or "", show.goal or "")
    return [inline(cell) for cell in (*cells, loaded.error or "")]
