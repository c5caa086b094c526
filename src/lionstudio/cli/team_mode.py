"""`--team-mode TEAM`: an agent is told what its team wrote to it, and how to answer from a shell."""

from __future__ import annotations

import argparse

from lionstudio.live.teams import inbox, open_teams
from lionstudio.settings import Settings
from lionstudio.state.database import Database


def with_team(args: argparse.Namespace, settings: Settings, member: str, prompt: str) -> str:
    """The prompt behind what the team wrote; those messages count as read from now on."""
    with Database(settings.db) as database:
        teams = open_teams(settings, database)
        found = teams.get(args.team_mode)
        name, known = found.team.name, member if member in found.team.members else None
        unread = inbox(found, member) if known else []
        if unread:
            teams.mark_read(name, member, [message.id for message in unread])
    others = ", ".join(other for other in found.team.members if other != member)
    lines = [
        f"You are {member if known else '_cli'} in the team {name} with {others or 'nobody else'}.",
        f'To write to it, run: li team send {name} "your text" --from {member if known else "_cli"} [--to MEMBER]',
    ]
    lines += [f"{message.sender} wrote to {message.recipient}: {message.content}" for message in unread]
    return "\n".join([*lines, "", prompt])
