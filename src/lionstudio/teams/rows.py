"""Teams in the database: what a file says is brought in row by row, and nothing is written that is there already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from lionstudio.model.ids import MAX_ID_LENGTH
from lionstudio.model.teams import Team, TeamMessage, summarize
from lionstudio.state.connection import Connection
from lionstudio.state.sessions import find_session
from lionstudio.state.teams import find_team, find_team_message, put_team, put_team_message, team_messages

EVERY = 1_000_000_000  # messages of one team


class Difference(NamedTuple):
    """What the table lacks of a file: the row of the team, messages, and newer words of messages."""

    team: Team | None
    added: tuple[TeamMessage, ...]
    changed: tuple[TeamMessage, ...]

    def __bool__(self) -> bool:
        return self.team is not None or bool(self.added or self.changed)


def compare(conn: Connection, team: Team, messages: Iterable[TeamMessage]) -> Difference:
    """Look at what is to be written, without writing."""
    row = find_row(conn, team.id)
    known_at = row.updated_at or 0.0 if row is not None else 0.0
    wanted = replace(team, updated_at=max(team.updated_at or 0.0, known_at))
    pairs = [as_row(conn, message) for message in messages]
    return Difference(
        None if row is not None and _essence(row) == _essence(wanted) else wanted,
        tuple(message for message, there in pairs if there is None),
        tuple(message for message, there in pairs if there is not None and not same(message, there)),
    )


def bring_in(conn: Connection, team: Team, messages: Iterable[TeamMessage]) -> Difference:
    """Make the rows of a team and of these messages equal to what a file says; what was written."""
    lacking = compare(conn, team, messages)
    if lacking.team is not None:
        put_team(conn, lacking.team)
    for message in (*lacking.added, *lacking.changed):
        put_team_message(conn, message)
    return lacking


def find_row(conn: Connection, team_id: str) -> Team | None:
    """The row of a team by its id alone."""
    found = find_team(conn, team_id)
    return found if found is not None and found.id == team_id else None


def every_message(conn: Connection, team_id: str) -> list[TeamMessage]:
    """All messages of a team in order."""
    return team_messages(conn, team_id, limit=EVERY)


def as_row(conn: Connection, message: TeamMessage) -> tuple[TeamMessage, TeamMessage | None]:
    """The message as its row should be, and the row that is there; an id that another team uses is told apart."""
    message = _with_link(conn, message)
    there = find_team_message(conn, message.id)
    if there is not None and there.team_id != message.team_id:
        message = replace(message, id=f"{message.team_id}.{message.id}"[-MAX_ID_LENGTH:])
        there = find_team_message(conn, message.id)
    return message, there


def same(message: TeamMessage, row: TeamMessage) -> bool:
    """Whether a row says what a message says."""
    return _words(message) == _words(row) and message.session_id in (None, row.session_id)


def _with_link(conn: Connection, message: TeamMessage) -> TeamMessage:
    """A run that is not known here is kept in the metadata: the row may only refer to one that is."""
    if message.session_id is None or find_session(conn, message.session_id) is not None:
        return message
    return replace(message, session_id=None, metadata={**message.metadata, "session_id": message.session_id})


def _essence(team: Team) -> tuple[object, ...]:
    return team.name, team.members, str(team.status), team.updated_at, dict(team.metadata)


def _words(message: TeamMessage) -> tuple[object, ...]:
    return (
        message.created_at,
        message.sender,
        message.recipient,
        message.content,
        sorted(message.read_by),
        message.summary or summarize(message.content),
        dict(message.metadata),
    )
