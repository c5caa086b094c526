"""`li state import-teams`: sync team files into the database; safe to repeat."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lionstudio.crash import point
from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.teams.team_file import TeamFile, list_team_files
from lionstudio.state.database import Database
from lionstudio.teams.rows import TeamDiff, diff_team, upsert_team


class SkippedFile(NamedTuple):
    path: str
    reason: str


class TeamImport(NamedTuple):
    """The result of an import, or of a dry run."""

    files: int
    teams: int  # created or updated
    added: int
    changed: int
    skipped: tuple[SkippedFile, ...]


def import_teams(
    db: Database, home: str, *, dry_run: bool = False, progress: Callable[[int, int], None] | None = None
) -> TeamImport:
    """Import every team file, each in its own transaction; `progress` receives (done, total)."""
    files = list_team_files(home)
    differences: list[TeamDiff] = []
    skipped: list[SkippedFile] = []
    for number, file in enumerate(files, 1):
        try:
            differences.append(_import_file(db, file, dry_run))
        except LionError as error:
            skipped.append(SkippedFile(file.path, error.message))
        point("team.imported")
        if progress is not None:
            progress(number, len(files))
    return TeamImport(
        len(files),
        sum(difference.team is not None for difference in differences),
        sum(len(difference.added) for difference in differences),
        sum(len(difference.changed) for difference in differences),
        tuple(skipped),
    )


def _import_file(db: Database, file: TeamFile, dry_run: bool) -> TeamDiff:
    if file.team is None:
        raise InvalidInput(file.error or "the file cannot be read")
    team, messages = file.team, file.messages
    difference = db.read(lambda conn: diff_team(conn, team, messages))
    # reading takes no write lock, and a repeated import of the same files ends here
    return difference if dry_run or not difference else db.write(lambda conn: upsert_team(conn, team, messages))
