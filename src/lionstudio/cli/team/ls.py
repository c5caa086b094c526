"""`li team ls`: every team, the one that was used last first; a file that cannot be used is a line with the reason."""

from __future__ import annotations

import argparse
import sys
import time

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, iso
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import is_terminal, say, styles_for, width_of
from lionstudio.cli.team._context import listed_wire, team_context
from lionstudio.teams.service import Listed

EXAMPLES = (
    ("li team ls", "the teams that are in use"),
    ("li team ls --all", "archived ones too"),
    ("li team ls --json | jq -r '.teams[].name'", "their names, for a script"),
)
_COLUMNS = (
    Column("NAME", narrowest=16),
    Column("ID", rank=2),
    Column("STATUS", rank=1),
    Column("MESSAGES", right=True),
    Column("LAST USED", right=True, rank=1),
    Column("MEMBERS", narrowest=20),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="archived teams too")


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    with team_context(args, writes=False) as here:
        found = [
            each for each in here.teams.list_all() if args.all or each.team is None or each.team.status == "active"
        ]
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"teams": [listed_wire(each) for each in found]})
    elif is_terminal():
        if found:
            paint = styles_for(sys.stdout, refused=args.no_color)
            now = time.time()
            emit("\n".join(render(_COLUMNS, [_cells(each, now) for each in found], width_of(sys.stdout), paint)) + "\n")
    else:
        emit("".join("\t".join(_plain(each)) + "\n" for each in found))
    if not found:
        say("There are no teams. Make one: li team create review --members analyst,critic", quiet=args.quiet)
    return 0


def _cells(each: Listed, now: float) -> list[Cell]:
    if each.team is None:
        return [Cell(inline(each.name), "red"), *[Cell("")] * 4, Cell(inline(each.error or ""), "red")]
    team = each.team
    return [
        Cell(inline(team.name)),
        Cell(inline(team.id), "dim"),
        Cell(str(team.status), "dim" if team.status == "archived" else "green"),
        Cell(f"{each.messages:,}"),
        Cell(ago(team.updated_at, now)),
        Cell(inline(", ".join(team.members))),
    ]


def _plain(each: Listed) -> list[str]:
    team = each.team
    if team is None:
        return ["", inline(each.name), "", "", "", "", inline(each.error or "")]
    used, members = iso(team.updated_at) or "", ",".join(team.members)
    words = (team.id, team.name, str(team.status), str(each.messages), used, members, "")
    return [inline(word) for word in words]
