"""`li team add`: add members to a team."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.team._context import team_context, team_wire, warn

EXAMPLES = (("li team add review tester writer", "two more members"),)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="team name or id")
    parser.add_argument("members", metavar="MEMBER", nargs="+", help="names of the new members")


def run(args: argparse.Namespace) -> int:
    with team_context(args) as context:
        result = context.teams.add_members(args.name, args.members)
        warn(result, args)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"team": team_wire(result.team), "in_table": result.unstored is None})
    else:
        emit(f"Team {inline(result.team.name)}: {', '.join(map(inline, result.team.members))}\n")
    return 0
