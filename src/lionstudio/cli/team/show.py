"""`li team show`: print a team, its members and messages."""

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
    ("li team show review --limit 1000 --full", "more messages, in full"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="team name or id")
    parser.add_argument(
        "--limit", type=integer(0), default=50, metavar="N", help="number of recent messages (default %(default)s)"
    )
    parser.add_argument("--full", action="store_true", help="print long messages in full instead of their summary")


def run(args: argparse.Namespace) -> int:
    with team_context(args, writes=False) as context:
        loaded = context.teams.get(args.name)
    last = loaded.messages[-args.limit :] if args.limit else []
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        record = {**team_wire(loaded.team), "message_count": len(loaded.messages), "path": loaded.path}
        print_json({"team": record, "messages": [message_wire(message) for message in last]})
        return 0
    paint = styles_for(sys.stdout, refused=args.no_color)
    team = loaded.team
    emit(f"{paint(inline(team.name), 'bold')}  {paint(inline(team.id), 'dim')}  {team.status}\n")
    emit(f"members: {inline(', '.join(team.members)) or 'none'}\n")
    omitted = len(loaded.messages) - len(last)
    emit(f"{count(len(loaded.messages), 'message')}" + (f", {omitted:,} earlier ones omitted\n" if omitted else "\n"))
    emit_lines(message_lines(last, paint, full=args.full))
    return 0
