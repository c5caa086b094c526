"""`li team archive`: put a team away, or take it back into use; nothing is deleted."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.team._context import team_context, team_wire, warn
from lionstudio.model.status.statuses import TeamStatus

EXAMPLES = (
    ("li team archive review", "no more messages; everything stays readable"),
    ("li team archive review --undo", "back into use"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the team, by name or id")
    parser.add_argument("--undo", action="store_true", help="take it back into use")


def run(args: argparse.Namespace) -> int:
    """Move the team."""
    with team_context(args) as here:
        moved = here.teams.move(args.name, TeamStatus.ACTIVE if args.undo else TeamStatus.ARCHIVED)
        warn(moved, args)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"team": team_wire(moved.team), "in_table": moved.unstored is None})
    else:
        emit(f"The team {inline(moved.team.name)} is {moved.team.status}.\n")
    return 0
