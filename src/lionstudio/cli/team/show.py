"""`li team show`: a team, its members and what they wrote."""

from __future__ import annotations

import argparse
import sys

from lionstudio.cli._toolkit.args import integer
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import styles_for
from lionstudio.cli.team._context import message_wire, team_context, team_wire
from lionstudio.cli.team._render import message_lines

EXAMPLES = (
    ("li team show review", "the team and its last 50 messages"),
    ("li team show review --limit 1000 --full", "more of them, and every word"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the team, by name or id")
    parser.add_argument(
        "--limit", type=integer(0), default=50, metavar="N", help="how many of the last messages (%(default)s)"
    )
    parser.add_argument("--full", action="store_true", help="long messages whole, not by their summary")


def run(args: argparse.Namespace) -> int:
    """Print the team."""
    with team_context(args, writes=False) as here:
        found = here.teams.get(args.name)
    last = found.messages[-args.limit :] if args.limit else []
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        about = {**team_wire(found.team), "message_count": len(found.messages), "path": found.path}
        print_json({"team": about, "messages": [message_wire(message) for message in last]})
        return 0
    paint = styles_for(sys.stdout, refused=args.no_color)
    team = found.team
    emit(f"{paint(inline(team.name), 'bold')}  {paint(inline(team.id), 'dim')}  {team.status}\n")
    emit(f"members: {inline(', '.join(team.members)) or 'none'}\n")
    left_out = len(found.messages) - len(last)
    emit(f"{count(len(found.messages), 'message')}" + (f", {left_out:,} earlier ones left out\n" if left_out else "\n"))
    emit_lines(message_lines(last, paint, whole=args.full))
    return 0
