"""Where team files and the table say different things, for the doctor; `li state import-teams` brings them together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lionstudio.files.teams.team_file import TeamFile, list_team_files
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.teams import list_teams, message_counts
from lionstudio.state.upkeep.doctor import Finding
from lionstudio.teams.rows import as_row, compare, every_message, find_row

_MOST_TEAMS = 100_000
_MOST_FINDINGS = 50  # of one kind


class Drift(NamedTuple):
    """One team that is not the same in its file and in the table."""

    name: str
    team_id: str | None
    path: str | None
    unstored: int = 0  # messages that only the file has
    unwritten: int = 0  # messages that only the table has
    changed: int = 0  # messages that differ, by their readers or their text
    no_row: bool = False
    no_file: bool = False
    error: str | None = None


def drift(conn: Connection, settings: Settings) -> list[Drift]:
    """Every team that differs; none where teams are kept in the table alone."""
    if settings.teams_in_db_only:
        return []
    found = list_team_files(settings.home)
    have = {each.team.id for each in found if each.team is not None}
    counts = message_counts(conn)
    without_file = [
        Drift(row.name, row.id, None, unwritten=counts.get(row.id, 0), no_file=True)
        for row in list_teams(conn, _MOST_TEAMS)
        if row.id not in have
    ]
    return [each for file in found if (each := _of_file(conn, file)) is not None] + without_file


def _of_file(conn: Connection, file: TeamFile) -> Drift | None:
    if file.team is None:
        return Drift(file.name, None, file.path, error=file.error)
    lacking = compare(conn, file.team, file.messages)
    no_row = find_row(conn, file.team.id) is None
    ids = {as_row(conn, message)[0].id for message in file.messages}
    unwritten = sum(message.id not in ids for message in every_message(conn, file.team.id))
    if not lacking and not unwritten:
        return None
    return Drift(file.name, file.team.id, file.path, len(lacking.added), unwritten, len(lacking.changed), no_row=no_row)


def team_findings(conn: Connection, settings: Settings) -> Iterator[Finding]:
    """The same as findings of the doctor; the same kind over and over helps nobody."""
    found: list[Finding] = []
    for finding in _findings(drift(conn, settings)):
        if sum(other.code == finding.code for other in found) < _MOST_FINDINGS:
            found.append(finding)
    return iter(found)


def _findings(differing: list[Drift]) -> Iterator[Finding]:
    for each in differing:
        subject = f"team {each.name}"
        if each.error is not None:
            evidence = f"{each.path}: {each.error}"
            yield Finding("warning", "team.unreadable", subject, evidence, "move the file away, or restore it")
        elif each.no_file:
            yield Finding(
                "info",
                "team.no_file",
                subject,
                "it is in the table and has no file",
                "the next message to it writes the file",
            )
        elif each.unstored or each.changed or each.no_row or not each.unwritten:
            yield Finding("warning", "team.drift", subject, _evidence(each), "`li state import-teams`")
        else:
            yield Finding(
                "warning",
                "team.drift",
                subject,
                _evidence(each),
                f"`li team export {each.team_id} --output {each.path}`",
            )


def _evidence(each: Drift) -> str:
    said = [
        (each.no_row, "the table has no such team"),
        (each.unstored, f"messages in the file that the table lacks: {each.unstored}"),
        (each.unwritten, f"messages in the table that the file lacks: {each.unwritten}"),
        (each.changed, f"messages that differ: {each.changed}"),
    ]
    return "; ".join(text for true, text in said if true) or "name, members, status or time differ"
