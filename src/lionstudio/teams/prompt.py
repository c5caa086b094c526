"""`--team-mode TEAM`: an agent as a member: its inbox in the prompt, then new messages while it works."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from shlex import quote

from lionstudio.agents.dialog import quoted
from lionstudio.agents.events import Event, MessageEvent
from lionstudio.crash import point
from lionstudio.errors import InvalidInput, LionError
from lionstudio.model.teams import TeamMessage
from lionstudio.settings import Settings
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Connection
from lionstudio.teams.delivery import MEMBER, TEAM, TEAM_MESSAGE, deliver, was_taken
from lionstudio.teams.service import inbox, open_teams


class TeamMode:
    """The team of one run; messages in the prompts count as read once the run has begun, others when it takes them."""

    def __init__(self, settings: Settings, team: str, *, member: str | None = None) -> None:
        """`member` is who the agent is in the team (default: the member with the name of the agent)."""
        self._settings = settings
        self._delivered: dict[str, list[str]] = {}  # message ids by member
        with open_database(settings.db) as database:
            self._conversation = open_teams(settings, database).get(team)
            self._taken = database.read(self._list_taken)  # by an earlier run that died before its team knew
        self._member = member
        if member is not None and member not in self._conversation.team.members:
            members = ", ".join(self._conversation.team.members) or "none"
            raise InvalidInput(f"{member!r:.60} is not a member of the team {team}", hint=f"its members: {members}")
        self.outsiders: list[str] = []  # agents that are not a member

    def _list_taken(self, conn: Connection) -> set[tuple[str, str]]:
        members = self._conversation.team.members
        return {
            (member, message.id)
            for member in members
            for message in inbox(self._conversation, member)
            if was_taken(conn, message, member)
        }

    @property
    def members(self) -> tuple[str, ...]:
        return tuple(self._conversation.team.members)

    def link(self, member: str) -> dict[str, str]:
        """The metadata of the session, by which messages find the member while it runs."""
        member = self._member or member
        return {TEAM: self._conversation.team.id, MEMBER: member} if member in self.members else {}

    def prompt(self, member: str, prompt: str, *, arrives: bool) -> str:
        """The prompt of a member, preceded by its unread messages; `arrives`: new ones reach it while it works."""
        member = self._member or member
        team = self._conversation.team
        is_member = member in team.members
        unread = inbox(self._conversation, member) if is_member else []
        self._delivered[member] = [message.id for message in unread]
        unread = [message for message in unread if (member, message.id) not in self._taken]
        others = ", ".join(other for other in team.members if other != member) or "no other members"
        name = quote(team.name)
        identity = f" --as {quote(member)}" if is_member else ""
        lines = [f"You are {member if is_member else '_cli'} in the team {team.name} with {others}."]
        if is_member and arrives:
            lines.append("New messages of the team reach you by themselves while you work.")
        elif is_member:
            lines.append(f"To read new messages at any time, run: li team inbox {name}{identity} --mark-read")
        elif member not in self.outsiders:
            self.outsiders.append(member)
        lines.append(f'To write to the team, run: li team send {name} "your text"{identity} [--to MEMBER]')
        lines += [
            f"{message.sender} wrote to {message.recipient}: {quoted(message.content).strip()}" for message in unread
        ]
        return "\n".join([*lines, "", prompt])

    def begin(self) -> None:
        """Mark the messages in the prompts as read, and deliver those that were sent since; the run has begun."""
        for member, ids in self._delivered.items():
            if ids:
                self._mark_read(member, ids)
        with open_database(self._settings.db) as database:
            conversation = open_teams(self._settings, database).get(self._conversation.team.id)
            prompted = {id_ for ids in self._delivered.values() for id_ in ids}
            known = {message.id for message in self._conversation.messages} | prompted
            late = [message for message in conversation.messages if message.id not in known]
            if late:
                database.write(lambda conn: self._deliver(conn, late))

    def _deliver(self, conn: Connection, late: Iterable[TeamMessage]) -> None:
        for message in late:
            deliver(conn, self._conversation.team, message)

    def watch(self, event: Event) -> None:
        """Mark a message of the team as read when the agent has taken it; called after the event is stored."""
        metadata = event.message.metadata if isinstance(event, MessageEvent) else {}
        member, message_id = metadata.get(MEMBER), metadata.get(TEAM_MESSAGE)
        if metadata.get(TEAM) == self._conversation.team.id and isinstance(member, str) and isinstance(message_id, str):
            point("team.message_taken")
            asyncio.get_running_loop().run_in_executor(None, self._mark_read, member, [message_id])

    def _mark_read(self, member: str, ids: list[str]) -> None:
        try:
            with open_database(self._settings.db) as database:
                open_teams(self._settings, database).mark_read(self._conversation.team.id, member, ids)
        except LionError:
            return  # its place in the session says the same
