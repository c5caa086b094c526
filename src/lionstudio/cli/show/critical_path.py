"""`li show critical-path`: print the chain of plays that decides the end time."""

from __future__ import annotations

import argparse
import sys
import time

from lionstudio.cli._show.load import load_show
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import span
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import TONES, is_terminal, styles_for, width_of
from lionstudio.model.shows.play_graph import critical_path
from lionstudio.model.shows.show import Play
from lionstudio.model.status.computed_state import play_state

DESCRIPTION = """\
Print the chain of dependent plays with the longest total duration so far; a play that has not run counts least. The
plays of this chain decide when the show ends."""
EXAMPLES = (
    ("li show critical-path parser", "find the plays to speed up or start first"),
    ("li show critical-path parser --json | jq -r '.critical_path[].name'", "for a script"),
)
_COLUMNS = (Column("PLAY", narrowest=12), Column("STATE"), Column("DURATION", right=True))


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", type=utf8, metavar="TOPIC", help="name of the show")


def run(args: argparse.Namespace) -> int:
    show, now = load_show(args), time.time()
    plays = {play.name: play for play in show.plays}
    chain = [plays[name] for name in critical_path(show.plays, now)]
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        rows = [{"name": play.name, "status": str(play.status), "seconds": _duration(play, now)} for play in chain]
        print_json({"topic": args.topic, "critical_path": rows, "seconds": sum(_duration(play, now) for play in chain)})
    elif is_terminal():
        paint = styles_for(sys.stdout, refused=args.no_color)
        emit_lines(render(_COLUMNS, [_cells(play, now) for play in chain], width_of(sys.stdout), paint))
        emit(f"{span(sum(_duration(play, now) for play in chain))} so far\n")
    else:
        emit("".join(f"{inline(play.name)}\t{play.status}\t{_duration(play, now):.0f}\n" for play in chain))
    return 0


def _duration(play: Play, now: float) -> float:
    """Seconds of the last attempt, 0 if the play has not run."""
    if play.started_at is None:
        return 0.0
    return max(0.0, (play.ended_at if play.ended_at is not None else now) - play.started_at)


def _cells(play: Play, now: float) -> list[Cell]:
    state = play_state(play.to_dict())
    return [Cell(inline(play.name)), Cell(state.label, TONES[state.tone]), Cell(span(_duration(play, now)))]
