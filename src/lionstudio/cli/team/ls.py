"""`li team ls`: list teams, last used first; an invalid team file is listed with the reason."""

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
from lionstudio.teams.service import TeamEntry

EXAMPLES = (
    ("li team ls", "active teams"),
    ("li team ls --all", "include archived teams"),
    ("li team ls --json | jq -r '.teams[].name'", "team names, for a script"),
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
    parser.add_argument("--all", action="store_true", help="include archived teams")


def run(args: argparse.Namespace) -> int:
    with team_context(args, writes=False) as context:
        entries = [
            entry
            for entry in context.teams.list_all()
            if args.all or entry.team is None or entry.team.status == "active"
        ]
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"teams": [listed_wire(entry) for entry in entries]})
    elif is_terminal():
        if entries:
            paint = styles_for(sys.stdout, refused=args.no_color)
            now = time.time()
            emit(
                "\n".join(render(_COLUMNS, [_cells(entry, now) for entry in entries], width_of(sys.stdout), paint))
                + "\n"
            )
    else:
        emit("".join("\t".join(_plain(entry)) + "\n" for entry in entries))
    if not entries:
        say("No teams. Create one: li team create review --members analyst,critic", quiet=args.quiet)
    return 0


def _cells(entry: TeamEntry, now: float) -> list[Cell]:
    if entry.team is None:
        return [Cell(inline(entry.name), "red"), *[Cell("")] * 4, Cell(inline(entry.error or ""), "red")]
    team = entry.team
    return [
        Cell(inline(team.name)),
        Cell(inline(team.id), "dim"),
        Cell(str(team.status), "dim" if team.status == "archived" else "green"),
        Cell(f"{entry.messages:,}"),
        Cell(ago(team.updated_at, now)),
        Cell(inline(", ".join(team.members))),
    ]


def _plain(entry: TeamEntry) -> list[str]:
    team = entry.team
    if team is None:
        return ["", inline(entry.name), "", "", "", "", inline(entry.error or "")]
    used, members = iso(team.updated_at) or "", ",".join(team.members)
    cells = (team.id, team.name, str(team.status), str(entry.messages), used, members, "")
    return [inline(cell) for cell in cells]
