"""`li show critical-path`: the chain of plays that decides when a show ends."""

from __future__ import annotations

import argparse
import sys
import time

from lionstudio.cli._show import load
from lionstudio.cli._toolkit.args import words
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import span
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import TONES, is_terminal, styles_for, width_of
from lionstudio.model.shows.play_graph import critical_path
from lionstudio.model.shows.show import Play
from lionstudio.model.status.computed_state import play_state

DESCRIPTION = """\
Print the chain of plays that decides when a show ends: the longest by the time its plays took so far; a play that
has not run counts least. Whatever is not on it can wait."""
EXAMPLES = (
    ("li show critical-path parser", "what to make faster, or to start first"),
    ("li show critical-path parser --json | jq -r '.critical_path[].name'", "for a script"),
)
_COLUMNS = (Column("PLAY", narrowest=12), Column("STATE"), Column("TOOK", right=True))


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", type=words, metavar="TOPIC", help="the show")


def run(args: argparse.Namespace) -> int:
    """Print the chain in its order."""
    found, now = load.get(args), time.time()
    plays = {play.name: play for play in found.plays}
    chain = [plays[name] for name in critical_path(found.plays, now)]
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        rows = [{"name": play.name, "status": str(play.status), "seconds": _took(play, now)} for play in chain]
        print_json({"topic": args.topic, "critical_path": rows, "seconds": sum(_took(play, now) for play in chain)})
    elif is_terminal():
        paint = styles_for(sys.stdout, refused=args.no_color)
        emit_lines(render(_COLUMNS, [_cells(play, now) for play in chain], width_of(sys.stdout), paint))
        emit(f"{span(sum(_took(play, now) for play in chain))} so far\n")
    else:
        emit("".join(f"{inline(play.name)}\t{play.status}\t{_took(play, now):.0f}\n" for play in chain))
    return 0


def _took(play: Play, now: float) -> float:
    """Seconds of its last attempt, 0 when it has not run."""
    if play.started_at is None:
        return 0.0
    return max(0.0, (play.ended_at if play.ended_at is not None else now) - play.started_at)


def _cells(play: Play, now: float) -> list[Cell]:
    state = play_state(play.to_dict())
    return [Cell(inline(play.name)), Cell(state.label, TONES[state.tone]), Cell(span(_took(play, now)))]
