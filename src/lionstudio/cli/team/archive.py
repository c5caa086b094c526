"""`li team archive`: archive a team, or reactivate it; nothing is deleted."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.team._context import team_context, team_wire, warn
from lionstudio.model.status.statuses import TeamStatus

EXAMPLES = (
    ("li team archive review", "make the team read-only"),
    ("li team archive review --undo", "reactivate the team"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="team name or id")
    parser.add_argument("--undo", action="store_true", help="reactivate the team")


def run(args: argparse.Namespace) -> int:
    with team_context(args) as context:
        result = context.teams.move(args.name, TeamStatus.ACTIVE if args.undo else TeamStatus.ARCHIVED)
        warn(result, args)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"team": team_wire(result.team), "in_table": result.unstored is None})
    else:
        emit(f"Team {inline(result.team.name)} is {result.team.status}.\n")
    return 0
