"""Teams in the database alone (ADR-0019, phase 2): transactions take the place of file locks."""

from __future__ import annotations

from dataclasses import replace

from lionstudio.errors import Conflict
from lionstudio.files.teams.team_json import iso, now
from lionstudio.model.status.statuses import TeamStatus
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.teams import (
    find_team,
    get_team,
    list_teams,
    message_counts,
    put_team,
    put_team_message,
    transition_team,
)
from lionstudio.teams.rows import every_message
from lionstudio.teams.service import Conversation, Listed, Written, check_member, new_message, new_team

_MOST_TEAMS = 100_000


class TableTeams:
    """Teams whose truth is the table."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def create(self, name: str, members: list[str]) -> Written:
        """A new team."""
        team = new_team(name, members)

        def work(conn: Connection) -> Team:
            there = find_team(conn, name)
            if there is not None and there.status == TeamStatus.ACTIVE:
                raise Conflict(f"there is a team {name} already", hint="`li team ls` lists them")
            return put_team(conn, team)

        return Written(self.db.write(work))

    def list_all(self) -> list[Listed]:
        """Every team, the one that was used last first."""
        rows, counts = self.db.read(lambda conn: (list_teams(conn, _MOST_TEAMS), message_counts(conn)))
        return [Listed(row.name, row, counts.get(row.id, 0), None) for row in rows]

    def get(self, key: str) -> Conversation:
        """One team by id or name."""
        with self.db.reader() as conn:
            team = get_team(conn, key)
            return Conversation(team, every_message(conn, team.id))

    def send(self, key: str, text: str, *, sender: str, to: list[str], session_id: str | None = None) -> Written:
        """Write to a member, to some, or to all."""

        def work(conn: Connection) -> Written:
            team = get_team(conn, key)
            message = new_message(team, text, sender, to, session_id)
            put_team_message(conn, message)
            return Written(team, (message,))

        return self.db.write(work)

    def mark_read(self, key: str, member: str, ids: list[str]) -> Written:
        """Note that a member has read some messages."""

        def work(conn: Connection) -> Written:
            team = get_team(conn, key)
            check_member(team, member)
            unread = [
                message
                for message in every_message(conn, team.id)
                if message.id in ids and member not in message.read_by
            ]
            return Written(team, tuple(_mark(conn, message, member) for message in unread))

        return self.db.write(work)

    def move(self, key: str, status: TeamStatus) -> Written:
        """Archive a team, or take it back into use."""

        def work(conn: Connection) -> Team:
            team = get_team(conn, key)
            transition_team(conn, team.id, status)
            metadata = {name: value for name, value in team.metadata.items() if name != "archived_at"}
            if status == TeamStatus.ARCHIVED:
                metadata["archived_at"] = iso()
            return put_team(conn, replace(team, status=status, metadata=metadata, updated_at=now()))

        return Written(self.db.write(work))


def _mark(conn: Connection, message: TeamMessage, member: str) -> TeamMessage:
    read_at = {**(message.metadata.get("read_at") or {}), member: iso()}
    marked = replace(message, read_by=(*message.read_by, member), metadata={**message.metadata, "read_at": read_at})
    put_team_message(conn, marked)
    return marked
