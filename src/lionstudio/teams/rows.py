"""Team rows: compare a team file with the database and write only the rows that differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from lionstudio.model.ids import MAX_ID_LENGTH
from lionstudio.model.teams import Team, TeamMessage, summarize
from lionstudio.state.connection import Connection
from lionstudio.state.sessions import find_session
from lionstudio.state.teams import (
    find_team,
    find_team_message,
    list_teams,
    message_counts,
    put_team,
    put_team_message,
    team_messages,
)

_MAX_TEAMS = 100_000
_MAX_MESSAGES = 1_000_000_000


class TeamDiff(NamedTuple):
    """The rows that a team file changes: the team (None when equal), new messages and changed messages."""

    team: Team | None
    added: tuple[TeamMessage, ...]
    changed: tuple[TeamMessage, ...]

    def __bool__(self) -> bool:
        return self.team is not None or bool(self.added or self.changed)


def diff_team(conn: Connection, team: Team, messages: Iterable[TeamMessage]) -> TeamDiff:
    """Compare a team and its messages with their rows."""
    row = find_team_by_id(conn, team.id)
    row_updated_at = row.updated_at or 0.0 if row is not None else 0.0
    team = replace(team, updated_at=max(team.updated_at or 0.0, row_updated_at))
    pairs = [match_row(conn, message) for message in messages]
    return TeamDiff(
        None if row is not None and _team_fields(row) == _team_fields(team) else team,
        tuple(message for message, row in pairs if row is None),
        tuple(message for message, row in pairs if row is not None and not _same_message(message, row)),
    )


def upsert_team(conn: Connection, team: Team, messages: Iterable[TeamMessage]) -> TeamDiff:
    """Make the rows of a team and of these messages equal to its file; returns the rows written."""
    diff = diff_team(conn, team, messages)
    if diff.team is not None:
        put_team(conn, diff.team)
    for message in (*diff.added, *diff.changed):
        put_team_message(conn, message)
    return diff


def find_team_by_id(conn: Connection, team_id: str) -> Team | None:
    """The row of a team by its id, never by its name."""
    team = find_team(conn, team_id)
    return team if team is not None and team.id == team_id else None


def list_team_rows(conn: Connection) -> list[tuple[Team, int]]:
    """Every team with its number of messages, most recently used first."""
    counts = message_counts(conn)
    return [(team, counts.get(team.id, 0)) for team in list_teams(conn, _MAX_TEAMS)]


def list_messages(conn: Connection, team_id: str) -> list[TeamMessage]:
    """All messages of a team in order."""
    return team_messages(conn, team_id, limit=_MAX_MESSAGES)


def match_row(conn: Connection, message: TeamMessage) -> tuple[TeamMessage, TeamMessage | None]:
    """The message as it should be stored, and its row; an id that another team uses gets the team's id as a prefix."""
    if message.session_id is not None and find_session(conn, message.session_id) is None:
        # the column is a foreign key: an unknown run is kept in the metadata instead
        metadata = {**message.metadata, "session_id": message.session_id}
        message = replace(message, session_id=None, metadata=metadata)
    row = find_team_message(conn, message.id)
    if row is not None and row.team_id != message.team_id:
        message = replace(message, id=f"{message.team_id}.{message.id}"[-MAX_ID_LENGTH:])
        row = find_team_message(conn, message.id)
    return message, row


def _same_message(message: TeamMessage, row: TeamMessage) -> bool:
    return _message_fields(message) == _message_fields(row) and message.session_id in (None, row.session_id)


def _team_fields(team: Team) -> tuple[object, ...]:
    return team.name, team.members, str(team.status), team.updated_at, dict(team.metadata)


def _message_fields(message: TeamMessage) -> tuple[object, ...]:
    return (
        message.created_at,
        message.sender,
        message.recipient,
        message.content,
        sorted(message.read_by),
        message.summary or summarize(message.content),
        dict(message.metadata),
    )
