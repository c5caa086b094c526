"""`li team export`: export a team as JSON, merged from its file and the database."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.team._context import team_context
from lionstudio.errors import Conflict
from lionstudio.files.teams.team_file import folder_of, restore_team_file
from lionstudio.teams.service import export_team

DESCRIPTION = """\
Export a team with all its messages in the format of team files. Messages that only the database has are included, so
this also restores a damaged or lost file."""
EXAMPLES = (
    ("li team export review > review.json", "export to a file"),
    ("li team export review --output ~/.lionagi/teams/71608b8026e1.json --force", "restore the team file"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="team name or id")
    parser.add_argument("--output", metavar="FILE", help="write to FILE (default: stdout)")
    parser.add_argument("--force", action="store_true", help="replace an existing file")


def run(args: argparse.Namespace) -> int:
    with team_context(args, writes=False) as context:
        data = export_team(context.teams, args.name, context.db)
        folder = folder_of(context.settings.home)
    if args.output is None:
        from lionstudio.cli._toolkit.json_output import to_json

        emit(to_json(data, indent=None if args.json else 1) + "\n")
        return 0
    target = os.path.abspath(args.output)
    _write(target, data, replace=args.force, locked=os.path.dirname(target) == folder)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"team_id": data["id"], "path": target, "messages": len(data["messages"])})
    else:
        emit(f"Wrote {count(len(data['messages']), 'message')} to {inline(target)}\n")
    return 0


def _write(target: str, data: dict[str, object], *, replace: bool, locked: bool) -> None:
    if locked:
        if os.path.lexists(target) and not replace:
            raise Conflict(f"{target} already exists", hint="add --force to replace it")
        restore_team_file(target, data)
        return
    from lionstudio.cli._toolkit.json_output import to_json
    from lionstudio.system.atomic_write import write_file

    write_file(target, [to_json(data, indent=1), "\n"], replace=replace)
