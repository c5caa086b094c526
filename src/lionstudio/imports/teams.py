"""`import-teams`: brings team files into the table, again and again; what is there already is not written twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lionstudio.crash import point
from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.teams.team_file import TeamFile, list_team_files
from lionstudio.state.database import Database
from lionstudio.teams.rows import TeamDiff, diff_team, upsert_team


class Skipped(NamedTuple):
    """A file that was left out, and why."""

    path: str
    reason: str


class Imported(NamedTuple):
    """What an import did, or would do."""

    files: int
    teams: int  # made or brought up to date
    added: int
    changed: int
    skipped: tuple[Skipped, ...]


def import_teams(
    db: Database, home: str, *, dry_run: bool = False, progress: Callable[[int, int], None] | None = None
) -> Imported:
    """Bring in every team file, each in a transaction of its own; `progress` hears how many of how many are done."""
    files = list_team_files(home)
    done: list[TeamDiff] = []
    skipped: list[Skipped] = []
    for number, file in enumerate(files, 1):
        try:
            done.append(_bring(db, file, dry_run))
        except LionError as refused:
            skipped.append(Skipped(file.path, refused.message))
        point("team.imported")
        if progress is not None:
            progress(number, len(files))
    return Imported(
        len(files),
        sum(each.team is not None for each in done),
        sum(len(each.added) for each in done),
        sum(len(each.changed) for each in done),
        tuple(skipped),
    )


def _bring(db: Database, file: TeamFile, dry_run: bool) -> TeamDiff:
    if file.team is None:
        raise InvalidInput(file.error or "it cannot be read")
    team, messages = file.team, file.messages
    lacking = db.read(lambda conn: diff_team(conn, team, messages))
    # a look takes no write lock, and the second import of the same files ends here
    return lacking if dry_run or not lacking else db.write(lambda conn: upsert_team(conn, team, messages))
