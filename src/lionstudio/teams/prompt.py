"""`--team-mode TEAM`: an agent is told what its team wrote to it, and how to answer from a shell."""

from __future__ import annotations

from lionstudio.settings import Settings
from lionstudio.state.database import Database
from lionstudio.teams.service import inbox, open_teams


class TeamMode:
    """A team as the agents of one run see it; what they were told counts as read once the run has begun."""

    def __init__(self, settings: Settings, team: str) -> None:
        self._settings = settings
        self._told: dict[str, list[str]] = {}
        with Database(settings.db) as database:
            self._found = open_teams(settings, database).get(team)

    def prompt(self, member: str, prompt: str) -> str:
        """The prompt behind what the team wrote to this member."""
        team = self._found.team
        known = member in team.members
        unread = inbox(self._found, member) if known else []
        self._told[member] = [message.id for message in unread]
        me = member if known else "_cli"
        others = ", ".join(other for other in team.members if other != member) or "nobody else"
        lines = [
            f"You are {me} in the team {team.name} with {others}.",
            f'To write to it, run: li team send {team.name} "your text" --from {me} [--to MEMBER]',
        ]
        lines += [f"{message.sender} wrote to {message.recipient}: {message.content}" for message in unread]
        return "\n".join([*lines, "", prompt])

    def mark_read(self) -> None:
        """Note that the agents have what they were told."""
        with Database(self._settings.db) as database:
            teams = open_teams(self._settings, database)
            for member, ids in self._told.items():
                if ids:
                    teams.mark_read(self._found.team.id, member, ids)
