"""`li show graph`: the plays of a show and what waits for what, for a terminal or for Mermaid."""

from __future__ import annotations

import argparse
import sys

from lionstudio.cli._show import load
from lionstudio.cli._show.ascii_graph import draw, mermaid
from lionstudio.cli._toolkit.args import words
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.terminal import TONES, say, styles_for
from lionstudio.model.status.computed_state import play_state

EXAMPLES = (
    ("li show graph parser", "drawn for a terminal"),
    ("li show graph parser --mermaid > parser.mmd", "for a page that draws Mermaid"),
    ("li show graph parser --json | jq '.edges'", "for a program"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", type=words, metavar="TOPIC", help="the show")
    parser.add_argument("--mermaid", action="store_true", help="as a Mermaid flowchart")


def run(args: argparse.Namespace) -> int:
    """Print the graph."""
    found = load.get(args)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        nodes = [{"name": play.name, "status": str(play.status)} for play in found.plays]
        edges = [{"from": need, "to": play.name} for play in found.plays for need in play.depends_on]
        text = {"mermaid": "\n".join(mermaid(found.plays))} if args.mermaid else {}
        print_json({"topic": args.topic, "nodes": nodes, "edges": edges, **text})
    elif args.mermaid:
        emit_lines(mermaid(found.plays))
    else:
        paint = styles_for(sys.stdout, refused=args.no_color)
        states = {play.name: play_state(play.to_dict()) for play in found.plays}
        emit_lines(
            f"{lanes}{inline(name)}  {paint(states[name].label, TONES[states[name].tone])}" if name else lanes.rstrip()
            for lanes, name in draw({play.name: play.depends_on for play in found.plays})
        )
    if not found.plays:
        say(f"The show {args.topic} has no plays yet.", quiet=args.quiet)
    return 0
