"""`li show graph`: draw the dependency graph of the plays, for a terminal or Mermaid."""

from __future__ import annotations

import argparse
import sys

from lionstudio.cli._show.ascii_graph import draw, mermaid
from lionstudio.cli._show.load import load_show
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.terminal import TONES, say, styles_for
from lionstudio.model.status.computed_state import play_state

EXAMPLES = (
    ("li show graph parser", "draw for a terminal"),
    ("li show graph parser --mermaid > parser.mmd", "for a page with Mermaid"),
    ("li show graph parser --json | jq '.edges'", "for a program"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", type=utf8, metavar="TOPIC", help="name of the show")
    parser.add_argument("--mermaid", action="store_true", help="print a Mermaid flowchart")


def run(args: argparse.Namespace) -> int:
    loaded = load_show(args)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        nodes = [{"name": play.name, "status": str(play.status)} for play in loaded.plays]
        edges = [{"from": need, "to": play.name} for play in loaded.plays for need in play.depends_on]
        text = {"mermaid": "\n".join(mermaid(loaded.plays))} if args.mermaid else {}
        print_json({"topic": args.topic, "nodes": nodes, "edges": edges, **text})
    elif args.mermaid:
        emit_lines(mermaid(loaded.plays))
    else:
        paint = styles_for(sys.stdout, refused=args.no_color)
        states = {play.name: play_state(play.to_dict()) for play in loaded.plays}
        emit_lines(
            f"{lanes}{inline(name)}  {paint(states[name].label, TONES[states[name].tone])}" if name else lanes.rstrip()
            for lanes, name in draw({play.name: play.depends_on for play in loaded.plays})
        )
    if not loaded.plays:
        say(f"Show {args.topic} has no plays yet.", quiet=args.quiet)
    return 0
