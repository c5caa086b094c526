"""Open the teams for a command, with the database if possible; teams and messages as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import LionError
from lionstudio.files.teams.team_json import recipients
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.settings import Settings
from lionstudio.state.database import Database
from lionstudio.teams.service import TeamEntry, Teams, TeamWrite, open_teams


class TeamContext(NamedTuple):
    """`db` is None if the database cannot be used."""

    teams: Teams
    settings: Settings
    db: Database | None


@contextmanager
def team_context(args: argparse.Namespace, *, writes: bool = True) -> Iterator[TeamContext]:
    """The teams of this home; while teams are files, commands work without a database."""
    settings = db_access.settings_of(args)
    with ExitStack() as stack:
        db = None
        try:
            db = stack.enter_context(db_access.database(settings.db, create=writes, quiet=args.quiet))
        except LionError as error:
            if settings.teams_in_db_only:
                raise
            if writes:
                say(f"Using only the team file: {inline(error.message)}", quiet=args.quiet)
        yield TeamContext(open_teams(settings, db), settings, db)


def warn(written: TeamWrite, args: argparse.Namespace) -> None:
    """Warn about a change that is not in the database yet."""
    if written.unstored is not None:
        say(
            f"Saved in the file, but not in the database yet: {inline(written.unstored.message)}\n"
            "  try: li state import-teams",
            quiet=args.quiet,
        )


def team_wire(team: Team) -> dict[str, Any]:
    return {
        "id": team.id,
        "name": team.name,
        "members": list(team.members),
        "member_count": len(team.members),
        "status": str(team.status),
        "created_at": team.created_at,
        "created_at_iso": iso(team.created_at),
        "updated_at": team.updated_at,
        "updated_at_iso": iso(team.updated_at),
    }


def listed_wire(entry: TeamEntry) -> dict[str, Any]:
    """An invalid team has only a name, a path and an error."""
    fields = team_wire(entry.team) if entry.team is not None else {"name": entry.name}
    return {**fields, "message_count": entry.messages, "path": entry.path, "error": entry.error}


def message_wire(message: TeamMessage) -> dict[str, Any]:
    return {
        "id": message.id,
        "sender": message.sender,
        "recipient": message.recipient,
        "recipients": recipients(message),
        "content": message.content,
        "summary": message.summary,
        "created_at": message.created_at,
        "created_at_iso": iso(message.created_at),
        "read_by": list(message.read_by),
        "session_id": message.session_id,
        "kind": message.metadata.get("kind"),
        "artifacts": message.metadata.get("artifacts"),
    }
