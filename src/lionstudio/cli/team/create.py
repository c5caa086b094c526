"""`li team create`: create a team with its members."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.team._context import team_context, team_wire, warn

EXAMPLES = (
    ("li team create review --members analyst,critic", "a team of two"),
    ("li team create review --members analyst,critic --json | jq -r .team.id", "the team id, for a script"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="team name")
    parser.add_argument("--members", metavar="A,B", required=True, help="member names, separated by commas")


def run(args: argparse.Namespace) -> int:
    members = [name.strip() for name in args.members.split(",") if name.strip()]
    with team_context(args) as context:
        result = context.teams.create(args.name, members)
        warn(result, args)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"team": team_wire(result.team), "in_table": result.unstored is None})
    else:
        team = result.team
        emit(f"Created team {inline(team.name)} ({team.id}): {', '.join(map(inline, team.members))}\n")
    return 0
