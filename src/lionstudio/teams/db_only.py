"""Teams in the database alone (ADR-0019, phase 2): transactions take the place of file locks."""

from __future__ import annotations

from dataclasses import replace

from lionstudio.errors import Conflict
from lionstudio.files.teams.team_json import iso, now
from lionstudio.model.status.statuses import TeamStatus
from lionstudio.model.teams import Team
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.teams import find_team, get_team, put_team, put_team_message, transition_team
from lionstudio.teams.delivery import deliver
from lionstudio.teams.rows import list_messages, list_team_rows
from lionstudio.teams.service import (
    Conversation,
    TeamEntry,
    TeamWrite,
    check_member,
    new_message,
    new_team,
    with_members,
)


class DbTeams:
    """Teams whose source of truth is the database; see the protocol Teams."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def create(self, name: str, members: list[str]) -> TeamWrite:
        team = new_team(name, members)

        def work(conn: Connection) -> Team:
            existing = find_team(conn, name)
            if existing is not None and existing.status == TeamStatus.ACTIVE:
                raise Conflict(f"team {name} already exists", hint="li team ls")
            return put_team(conn, team)

        return TeamWrite(self.db.write(work))

    def list_all(self) -> list[TeamEntry]:
        return [TeamEntry(team.name, team, count, None) for team, count in self.db.read(list_team_rows)]

    def get(self, key: str) -> Conversation:
        with self.db.reader() as conn:
            team = get_team(conn, key)
            return Conversation(team, list_messages(conn, team.id))

    def send(self, key: str, text: str, *, sender: str, to: list[str], session_id: str | None = None) -> TeamWrite:
        def work(conn: Connection) -> TeamWrite:
            team = get_team(conn, key)
            message = new_message(team, text, sender, to, session_id)
            put_team_message(conn, message)
            deliver(conn, team, message)
            return TeamWrite(team, (message,))

        return self.db.write(work)

    def mark_read(self, key: str, member: str, ids: list[str]) -> TeamWrite:
        def work(conn: Connection) -> TeamWrite:
            team = get_team(conn, key)
            check_member(team, member)
            marked = []
            for message in list_messages(conn, team.id):
                if message.id in ids and member not in message.read_by:
                    read_at = {**(message.metadata.get("read_at") or {}), member: iso()}
                    metadata = {**message.metadata, "read_at": read_at}
                    marked.append(replace(message, read_by=(*message.read_by, member), metadata=metadata))
                    put_team_message(conn, marked[-1])
            return TeamWrite(team, tuple(marked))

        return self.db.write(work)

    def add_members(self, key: str, names: list[str]) -> TeamWrite:
        def work(conn: Connection) -> Team:
            team = get_team(conn, key)
            return put_team(conn, replace(team, members=with_members(team, names), updated_at=now()))

        return TeamWrite(self.db.write(work))

    def move(self, key: str, status: TeamStatus) -> TeamWrite:
        def work(conn: Connection) -> Team:
            team = get_team(conn, key)
            transition_team(conn, team.id, status)
            metadata = {name: value for name, value in team.metadata.items() if name != "archived_at"}
            if status == TeamStatus.ARCHIVED:
                metadata["archived_at"] = iso()
            return put_team(conn, replace(team, status=status, metadata=metadata, updated_at=now()))

        return TeamWrite(self.db.write(work))
