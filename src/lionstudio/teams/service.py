"""Teams in use (ADR-0019): a message goes into the JSON file under its lock and then into the table.

The file is the truth while there are files. A row that could not be written is reported and brought in later.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from lionstudio.crash import point
from lionstudio.errors import Conflict, IllegalTransition, InvalidInput, LionError, NotFound
from lionstudio.files.teams import team_file as files
from lionstudio.files.teams.team_file import OUTSIDERS, TeamFile, check_members
from lionstudio.files.teams.team_json import EVERYONE, Json, is_for, iso, message_data, messages_of, moment, team_data
from lionstudio.model.json_codec import visible
from lionstudio.model.status.statuses import TeamStatus
from lionstudio.model.teams import Team, TeamMessage, summarize
from lionstudio.settings import Settings
from lionstudio.state.database import Database
from lionstudio.state.sessions import find_session
from lionstudio.state.teams import find_team, list_teams, message_counts
from lionstudio.system.filenames import check_name, shown
from lionstudio.teams.rows import bring_in, every_message

MOST_TEXT = 5_000_000  # characters of one message
_MOST_TEAMS = 100_000


class Listed(NamedTuple):
    """A team in a list, or a file that cannot be used; then `error` says why."""

    name: str
    team: Team | None
    messages: int
    path: str | None
    error: str | None = None


class Conversation(NamedTuple):
    """A team with its messages in order; `path` is its file, where it has one."""

    team: Team
    messages: list[TeamMessage]
    path: str | None = None


class Written(NamedTuple):
    """What was written; `unstored` says why the table does not have it yet."""

    team: Team
    messages: tuple[TeamMessage, ...] = ()
    unstored: LionError | None = None


class Teams(Protocol):
    """What can be done with teams, wherever they are kept."""

    def create(self, name: str, members: list[str]) -> Written:
        """A new team."""

    def list_all(self) -> list[Listed]:
        """Every team, the one that was used last first."""

    def get(self, key: str) -> Conversation:
        """One team by id or name."""

    def send(self, key: str, text: str, *, sender: str, to: list[str], session_id: str | None = None) -> Written:
        """Write to a member, to some, or to all."""

    def mark_read(self, key: str, member: str, ids: list[str]) -> Written:
        """Note that a member has read some messages."""

    def move(self, key: str, status: TeamStatus) -> Written:
        """Archive a team, or take it back into use."""


def open_teams(settings: Settings, db: Database | None) -> Teams:
    """The teams of a home, as its settings keep them."""
    if not settings.teams_in_db_only:
        return FileTeams(settings.home, db)
    if db is None:
        raise NotFound("the teams are in the database, and it cannot be used", hint="`li state doctor` says why")
    from lionstudio.teams.db_only import TableTeams

    return TableTeams(db)


def running_session(db: Database | None, environ: Mapping[str, str] | None = None) -> str | None:
    """The run that this process belongs to, if it says so and the run is known."""
    given = (os.environ if environ is None else environ).get("LIONAGI_SESSION_ID")
    if not given or db is None:
        return None
    known = db.read(lambda conn: find_session(conn, given))
    return None if known is None else known.id


def inbox(found: Conversation, member: str, *, unread: bool = True) -> list[TeamMessage]:
    """What others wrote to a member."""
    check_member(found.team, member)
    mine = [message for message in found.messages if is_for(message, member)]
    return [message for message in mine if not unread or member not in message.read_by]


def new_team(name: str, members: list[str]) -> Team:
    """A team as it is created; the id is short because it is the name of a file."""
    named = check_members(members)
    return Team(id=os.urandom(6).hex(), name=check_name(name, "team"), members=named, created_at=moment())


def new_message(team: Team, text: str, sender: str, to: list[str], session_id: str | None) -> TeamMessage:
    """A message as it is sent, after every check."""
    if team.status == TeamStatus.ARCHIVED:
        raise IllegalTransition(
            f"the team {team.name} is archived", hint=f"`li team archive {team.name} --undo` reopens it"
        )
    check_member(team, sender, *OUTSIDERS)
    named = [name for name in dict.fromkeys(to) if name not in (EVERYONE, "*")]
    for name in named:
        check_member(team, name)
    if not text.strip() or len(text) > MOST_TEXT:
        raise InvalidInput(f"a message has 1 to {MOST_TEXT:,} characters", hint="send a path to what is longer")
    everyone = not named or len(named) < len(set(to))
    kept = visible(_redacted(text))
    return TeamMessage(
        team_id=team.id,
        created_at=moment(),
        sender=sender,
        session_id=session_id,
        content=kept,
        summary=summarize(kept),
        recipient=EVERYONE if everyone else ", ".join(named),
        metadata={"kind": "message", **({} if everyone or len(named) < 2 else {"to": named})},
    )


def _redacted(text: str) -> str:
    """A team file lies on the disk for good; secrets must not."""
    # loaded only to send: reading needs none of its rules
    from lionstudio.model.redaction import Redactor

    return Redactor().text(text)


def check_member(team: Team, name: str, *besides: str) -> None:
    """Refuse a name that is not in the team."""
    if name not in (*team.members, *besides):
        raise InvalidInput(
            f"{name!r:.60} is not in the team {team.name}", hint=f"its members: {', '.join(team.members) or 'none'}"
        )


class FileTeams:
    """Teams whose truth is the file; rows follow."""

    def __init__(self, home: str, db: Database | None) -> None:
        self.home, self.db = home, db

    def create(self, name: str, members: list[str]) -> Written:
        """A new team."""
        team = new_team(name, members)
        there = self._find(name)
        if isinstance(there, Conversation) and there.team.status == TeamStatus.ACTIVE:
            raise Conflict(f"there is a team {name} already, in the database", hint="`li team ls` lists them")
        return self._store(files.create_team_file(self.home, team, team_data(team, [])), [])

    def list_all(self) -> list[Listed]:
        """Every team, the one that was used last first; teams that have no file come from the table."""
        found = [
            Listed(each.name, each.team, len(each.messages), each.path, each.error)
            for each in files.list_team_files(self.home)
        ]
        have = {each.team.id for each in found if each.team is not None}
        if self.db is not None:
            rows, counts = self.db.read(lambda conn: (list_teams(conn, _MOST_TEAMS), message_counts(conn)))
            found += [Listed(row.name, row, counts.get(row.id, 0), None) for row in rows if row.id not in have]
        return sorted(found, key=lambda each: -(each.team.updated_at or 0.0) if each.team is not None else 0.0)

    def get(self, key: str) -> Conversation:
        """One team by id or name."""
        found = self._find(key)
        if isinstance(found, Conversation):
            return found
        team, messages, path = self._usable(key, found)
        return Conversation(team, list(messages), path)

    def send(self, key: str, text: str, *, sender: str, to: list[str], session_id: str | None = None) -> Written:
        """Write to a member, to some, or to all."""

        def change(data: Json, team: Team) -> list[str]:
            message = new_message(team, text, sender, to, session_id)
            data.setdefault("messages", []).append(message_data(message))
            return [message.id]

        return self._store(*files.change_team_file(self._file(key), change))

    def mark_read(self, key: str, member: str, ids: list[str]) -> Written:
        """Note that a member has read some messages."""

        def change(data: Json, team: Team) -> list[str]:
            check_member(team, member)
            entries = [entry for entry in data.get("messages", []) if isinstance(entry, dict)]
            for entry, message in zip(entries, messages_of(data, team), strict=True):
                if message.id in ids:
                    readers = entry.get("read_by")
                    entry["read_by"] = dict(readers) if isinstance(readers, dict) else dict.fromkeys(readers or [], "")
                    entry["read_by"].setdefault(member, iso())
            return ids

        return self._store(*files.change_team_file(self._file(key), change))

    def move(self, key: str, status: TeamStatus) -> Written:
        """Archive a team, or take it back into use."""

        def change(data: Json, team: Team) -> list[str]:
            if team.status == status:
                raise IllegalTransition(f"the team {team.name} is {status} already", hint="there is nothing to do")
            data["status"] = str(status)
            data.pop("archived_at", None)
            if status == TeamStatus.ARCHIVED:
                data["archived_at"] = iso()
            return []

        return self._store(*files.change_team_file(self._file(key), change))

    def _find(self, key: str) -> TeamFile | Conversation | None:
        """The file of a team, or its rows when it has none."""
        found = files.find_team_file(self.home, key)
        if found is not None or self.db is None:
            return found
        with self.db.reader() as conn:
            team = find_team(conn, key)
            return None if team is None else Conversation(team, every_message(conn, team.id))

    def _usable(self, key: str, found: TeamFile | None) -> tuple[Team, tuple[TeamMessage, ...], str]:
        if found is None:
            raise NotFound(f"there is no team {key!r:.100}", hint="`li team ls` lists them")
        if found.team is None:
            raise InvalidInput(
                f"{shown(found.path)}: {found.error}",
                hint="move it away; `li team export` restores it from the database",
            )
        return found.team, found.messages, found.path

    def _file(self, key: str) -> str:
        """The file to write to; a team that is only in the table gets one."""
        found = self._find(key)
        if not isinstance(found, Conversation):
            return self._usable(key, found)[2]
        path = files.path_of(self.home, found.team.id)
        return files.restore_team_file(path, team_data(found.team, found.messages)).path

    def _store(self, file: TeamFile, ids: list[str]) -> Written:
        """The rows, after the lock is released; whatever goes wrong here is drift and not a lost message."""
        point("team.file_written")
        assert file.team is not None
        team, messages = file.team, tuple(message for message in file.messages if message.id in ids)
        if self.db is None:
            return Written(team, messages, NotFound("the database cannot be used", hint="see `li state doctor`"))
        try:
            self.db.write(lambda conn: bring_in(conn, team, messages))
        except LionError as refused:
            return Written(team, messages, refused)
        return Written(team, messages)


def export(teams: Teams, key: str, db: Database | None) -> Json:
    """A team as its file would be, with the messages that only the table has."""
    found = teams.get(key)
    messages = {message.id: message for message in found.messages}
    if db is not None and found.path is not None:
        with db.reader() as conn:
            for message in every_message(conn, found.team.id):
                messages.setdefault(message.id, message)
    ordered = sorted(messages.values(), key=lambda message: message.created_at)
    return team_data(found.team, ordered)
