"""`--team-mode TEAM`: add an agent's inbox and reply instructions to its prompt."""

from __future__ import annotations

from lionstudio.settings import Settings
from lionstudio.state.database import Database
from lionstudio.teams.service import inbox, open_teams


class TeamMode:
    """The team of one run; messages in the prompts count as read once the run has begun."""

    def __init__(self, settings: Settings, team: str) -> None:
        self._settings = settings
        self._delivered: dict[str, list[str]] = {}  # message ids by member
        with Database(settings.db) as database:
            self._conversation = open_teams(settings, database).get(team)

    def prompt(self, member: str, prompt: str) -> str:
        """The prompt of a member, preceded by its unread messages."""
        team = self._conversation.team
        is_member = member in team.members
        unread = inbox(self._conversation, member) if is_member else []
        self._delivered[member] = [message.id for message in unread]
        sender = member if is_member else "_cli"
        others = ", ".join(other for other in team.members if other != member) or "no other members"
        lines = [
            f"You are {sender} in the team {team.name} with {others}.",
            f'To write to it, run: li team send {team.name} "your text" --from {sender} [--to MEMBER]',
        ]
        lines += [f"{message.sender} wrote to {message.recipient}: {message.content}" for message in unread]
        return "\n".join([*lines, "", prompt])

    def mark_read(self) -> None:
        """Mark the messages in the prompts as read."""
        with Database(self._settings.db) as database:
            teams = open_teams(self._settings, database)
            for member, ids in self._delivered.items():
                if ids:
                    teams.mark_read(self._conversation.team.id, member, ids)
