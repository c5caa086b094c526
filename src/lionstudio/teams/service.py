"""The teams of a home (ADR-0019): a message is written to the JSON file under its lock, then to the database.

The file is the source of truth while there are files. A row that could not be written is reported and imported later.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from lionstudio.crash import point
from lionstudio.errors import Conflict, IllegalTransition, InvalidInput, LionError, NotFound
from lionstudio.files.teams import team_file as files
from lionstudio.files.teams.team_file import OUTSIDERS, TeamFile, check_members
from lionstudio.files.teams.team_json import EVERYONE, Json, is_for, iso, message_data, messages_of, now, team_data
from lionstudio.model.json_codec import visible
from lionstudio.model.status.statuses import TeamStatus
from lionstudio.model.teams import Team, TeamMessage, summarize
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.sessions import find_session
from lionstudio.state.teams import find_team
from lionstudio.system.filenames import check_name, shown
from lionstudio.teams.delivery import deliver
from lionstudio.teams.rows import list_messages, list_team_rows, upsert_team

MAX_TEXT_LENGTH = 5_000_000  # characters of one message


class TeamEntry(NamedTuple):
    """A team in a list; `error` says why a file cannot be read."""

    name: str
    team: Team | None
    messages: int
    path: str | None
    error: str | None = None


class Conversation(NamedTuple):
    """A team with its messages in order; `path` is its file, if it has one."""

    team: Team
    messages: list[TeamMessage]
    path: str | None = None


class TeamWrite(NamedTuple):
    """The result of a write; `unstored` is the error that kept the rows from being written."""

    team: Team
    messages: tuple[TeamMessage, ...] = ()
    unstored: LionError | None = None


class Teams(Protocol):
    """The operations on teams, in files or in the database alone; `key` is the id or name of a team."""

    def create(self, name: str, members: list[str]) -> TeamWrite:
        """Create a team."""

    def list_all(self) -> list[TeamEntry]:
        """Every team, most recently used first."""

    def get(self, key: str) -> Conversation:
        """A team with its messages."""

    def send(self, key: str, text: str, *, sender: str, to: list[str], session_id: str | None = None) -> TeamWrite:
        """Send a message to one member, to some, or to all."""

    def mark_read(self, key: str, member: str, ids: list[str]) -> TeamWrite:
        """Mark messages as read by a member."""

    def add_members(self, key: str, names: list[str]) -> TeamWrite:
        """Add members to a team; those that it has stay."""

    def move(self, key: str, status: TeamStatus) -> TeamWrite:
        """Archive or reopen a team."""


def open_teams(settings: Settings, db: Database | None) -> Teams:
    """The teams of a home, in files or in the database alone, by its settings."""
    if not settings.teams_in_db_only:
        return FileTeams(settings.home, db)
    if db is None:
        raise NotFound("teams are kept in the database, which cannot be opened", hint="li state doctor")
    from lionstudio.teams.db_only import DbTeams

    return DbTeams(db)


def current_session_id(db: Database | None, environ: Mapping[str, str] | None = None) -> str | None:
    """The run that this process belongs to, by LIONAGI_SESSION_ID; None when the database does not have it."""
    session_id = (os.environ if environ is None else environ).get("LIONAGI_SESSION_ID")
    if not session_id or db is None:
        return None
    session = db.read(lambda conn: find_session(conn, session_id))
    return None if session is None else session.id


def inbox(conversation: Conversation, member: str, *, unread: bool = True) -> list[TeamMessage]:
    """Messages that others sent to a member."""
    check_member(conversation.team, member)
    messages = [message for message in conversation.messages if is_for(message, member)]
    return [message for message in messages if not unread or member not in message.read_by]


def new_team(name: str, members: list[str]) -> Team:
    """A new team; its id is short because it is the name of a file."""
    members_checked = check_members(members)
    return Team(id=os.urandom(6).hex(), name=check_name(name, "team"), members=members_checked, created_at=now())


def with_members(team: Team, names: list[str]) -> tuple[str, ...]:
    """The members of a team and new ones, after every check."""
    check_active(team)
    return tuple(dict.fromkeys((*team.members, *check_members(names))))


def check_active(team: Team) -> None:
    if team.status == TeamStatus.ARCHIVED:
        raise IllegalTransition(f"the team {team.name} is archived", hint=f"li team archive {team.name} --undo")


def new_message(team: Team, text: str, sender: str, to: list[str], session_id: str | None) -> TeamMessage:
    """A new message, after every check."""
    check_active(team)
    check_member(team, sender, *OUTSIDERS)
    recipients = [name for name in dict.fromkeys(to) if name not in (EVERYONE, "*")]
    for name in recipients:
        check_member(team, name)
    if not text.strip() or len(text) > MAX_TEXT_LENGTH:
        raise InvalidInput(
            f"a message has 1 to {MAX_TEXT_LENGTH:,} characters, not {len(text):,}", hint="send the path of a file"
        )
    # loaded only to send: reading needs none of its rules. A team file stays on disk; secrets must not
    from lionstudio.model.redaction.process import redactor

    content = visible(redactor().text(text))
    to_all = not recipients or len(recipients) < len(set(to))
    return TeamMessage(
        team_id=team.id,
        created_at=now(),
        sender=sender,
        session_id=session_id,
        content=content,
        summary=summarize(content),
        recipient=EVERYONE if to_all else ", ".join(recipients),
        metadata={"kind": "message", **({} if to_all or len(recipients) < 2 else {"to": recipients})},
    )


def check_member(team: Team, name: str, *others: str) -> None:
    """Refuse a name that is neither a member nor one of `others`."""
    if name not in (*team.members, *others):
        raise InvalidInput(
            f"{name!r:.60} is not in the team {team.name}", hint=f"its members: {', '.join(team.members) or 'none'}"
        )


class FileTeams:
    """Teams whose source of truth is the file; rows follow. See the protocol Teams."""

    def __init__(self, home: str, db: Database | None) -> None:
        self.home, self.db = home, db

    def create(self, name: str, members: list[str]) -> TeamWrite:
        team = new_team(name, members)
        existing = self._find(name)
        if isinstance(existing, Conversation) and existing.team.status == TeamStatus.ACTIVE:
            raise Conflict(f"team {name} already exists in the database", hint="li team ls")
        return self._write_rows(files.create_team_file(self.home, team, team_data(team, [])), [])

    def list_all(self) -> list[TeamEntry]:
        entries = [
            TeamEntry(file.name, file.team, len(file.messages), file.path, file.error)
            for file in files.list_team_files(self.home)
        ]
        if self.db is not None:
            ids = {entry.team.id for entry in entries if entry.team is not None}
            rows = self.db.read(list_team_rows)
            entries += [TeamEntry(team.name, team, count, None) for team, count in rows if team.id not in ids]
        return sorted(entries, key=lambda entry: -(entry.team.updated_at or 0.0) if entry.team is not None else 0.0)

    def get(self, key: str) -> Conversation:
        match = self._find(key)
        if isinstance(match, Conversation):
            return match
        team, messages, path = self._check_file(key, match)
        return Conversation(team, list(messages), path)

    def send(self, key: str, text: str, *, sender: str, to: list[str], session_id: str | None = None) -> TeamWrite:
        def edit(data: Json, team: Team) -> list[str]:
            message = new_message(team, text, sender, to, session_id)
            data.setdefault("messages", []).append(message_data(message))
            return [message.id]

        return self._edit(key, edit)

    def mark_read(self, key: str, member: str, ids: list[str]) -> TeamWrite:
        def edit(data: Json, team: Team) -> list[str]:
            check_member(team, member)
            entries = [entry for entry in data.get("messages", []) if isinstance(entry, dict)]
            for entry, message in zip(entries, messages_of(data, team), strict=True):
                if message.id in ids:
                    readers = entry.get("read_by")
                    entry["read_by"] = dict(readers) if isinstance(readers, dict) else dict.fromkeys(readers or [], "")
                    entry["read_by"].setdefault(member, iso())
            return ids

        return self._edit(key, edit)

    def add_members(self, key: str, names: list[str]) -> TeamWrite:
        def edit(data: Json, team: Team) -> list[str]:
            data["members"] = list(with_members(team, names))
            return []

        return self._edit(key, edit)

    def move(self, key: str, status: TeamStatus) -> TeamWrite:
        def edit(data: Json, team: Team) -> list[str]:
            if team.status == status:
                raise IllegalTransition(f"the team {team.name} is already {status}", hint="nothing to do")
            data["status"] = str(status)
            data.pop("archived_at", None)
            if status == TeamStatus.ARCHIVED:
                data["archived_at"] = iso()
            return []

        return self._edit(key, edit)

    def _find(self, key: str) -> TeamFile | Conversation | None:
        """The file of a team, or its rows when it has none."""
        file = files.find_team_file(self.home, key)
        if file is not None or self.db is None:
            return file
        with self.db.reader() as conn:
            team = find_team(conn, key)
            return None if team is None else Conversation(team, list_messages(conn, team.id))

    def _check_file(self, key: str, file: TeamFile | None) -> tuple[Team, tuple[TeamMessage, ...], str]:
        if file is None:
            raise NotFound(f"team {key!r:.100} not found", hint="li team ls")
        if file.team is None:
            raise InvalidInput(
                f"{shown(file.path)}: {file.error}", hint=f"move it away, then li team export {key} > FILE"
            )
        return file.team, file.messages, file.path

    def _edit(self, key: str, edit: Callable[[Json, Team], list[str]]) -> TeamWrite:
        """Edit the file under its lock, then write the rows of the messages whose ids `edit` returns."""
        match = self._find(key)
        if isinstance(match, Conversation):  # only in the database: write its file first
            path = files.path_of(self.home, match.team.id)
            path = files.restore_team_file(path, team_data(match.team, match.messages)).path
        else:
            path = self._check_file(key, match)[2]
        return self._write_rows(*files.change_team_file(path, edit))

    def _write_rows(self, file: TeamFile, ids: list[str]) -> TeamWrite:
        """Write the rows after the lock is released; an error here is drift, not a lost message."""
        point("team.file_written")
        assert file.team is not None
        team, messages = file.team, tuple(message for message in file.messages if message.id in ids)
        if self.db is None:
            hint = "li state doctor"
            return TeamWrite(team, messages, NotFound("the database cannot be opened", hint=hint))

        def work(conn: Connection) -> None:
            for message in upsert_team(conn, team, messages).added:
                deliver(conn, team, message)

        try:
            self.db.write(work)
        except LionError as error:
            return TeamWrite(team, messages, error)
        return TeamWrite(team, messages)


def export_team(teams: Teams, key: str, db: Database | None) -> Json:
    """The content of a team's file, including messages that only the database has."""
    conversation = teams.get(key)
    messages = {message.id: message for message in conversation.messages}
    if db is not None and conversation.path is not None:
        with db.reader() as conn:
            for message in list_messages(conn, conversation.team.id):
                messages.setdefault(message.id, message)
    ordered = sorted(messages.values(), key=lambda message: message.created_at)
    return team_data(conversation.team, ordered)
