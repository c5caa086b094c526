"""`li team create`: a new team with its members."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.team._context import team_context, team_wire, warn

EXAMPLES = (
    ("li team create review --members analyst,critic", "a team of two"),
    ("li team create review --members analyst,critic --json | jq -r .team.id", "its id, for a script"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="what the team is called")
    parser.add_argument("--members", metavar="A,B", required=True, help="the names of its members")


def run(args: argparse.Namespace) -> int:
    """Make the team."""
    members = [name.strip() for name in args.members.split(",") if name.strip()]
    with team_context(args) as here:
        made = here.teams.create(args.name, members)
        warn(made, args)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"team": team_wire(made.team), "in_table": made.unstored is None})
    else:
        emit(f"Made the team {inline(made.team.name)} ({made.team.id}): {', '.join(map(inline, made.team.members))}\n")
    return 0
