"""Differences between team files and the database, as findings of the doctor; `li state import-teams` resolves them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from lionstudio.files.teams.team_file import TeamFile, list_team_files
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.upkeep.findings import Finding
from lionstudio.teams.rows import diff_team, find_team_by_id, list_messages, list_team_rows, match_row

_MAX_FINDINGS = 50  # of one code


class TeamDrift(NamedTuple):
    """One team whose file and rows differ, with counts of messages."""

    name: str
    team_id: str | None
    path: str | None
    only_in_file: int = 0
    only_in_db: int = 0
    changed: int = 0  # readers or text differ
    no_row: bool = False
    no_file: bool = False
    error: str | None = None


def find_drift(conn: Connection, settings: Settings) -> list[TeamDrift]:
    """Every team that differs; empty when teams are in the database alone."""
    if settings.teams_in_db_only:
        return []
    team_files = list_team_files(settings.home)
    ids = {file.team.id for file in team_files if file.team is not None}
    without_file = [
        TeamDrift(team.name, team.id, None, only_in_db=count, no_file=True)
        for team, count in list_team_rows(conn)
        if team.id not in ids
    ]
    return [drift for file in team_files if (drift := _file_drift(conn, file)) is not None] + without_file


def _file_drift(conn: Connection, file: TeamFile) -> TeamDrift | None:
    if file.team is None:
        return TeamDrift(file.name, None, file.path, error=file.error)
    diff = diff_team(conn, file.team, file.messages)
    no_row = find_team_by_id(conn, file.team.id) is None
    ids = {match_row(conn, message)[0].id for message in file.messages}
    only_in_db = sum(message.id not in ids for message in list_messages(conn, file.team.id))
    if not diff and not only_in_db:
        return None
    return TeamDrift(file.name, file.team.id, file.path, len(diff.added), only_in_db, len(diff.changed), no_row=no_row)


def team_findings(conn: Connection, settings: Settings) -> Iterator[Finding]:
    """The drift of all teams as findings of the doctor, limited for each code."""
    counts: Counter[str] = Counter()
    for finding in map(_finding, find_drift(conn, settings)):
        counts[finding.code] += 1
        if counts[finding.code] <= _MAX_FINDINGS:
            yield finding


def _finding(drift: TeamDrift) -> Finding:
    subject = f"team {drift.name}"
    if drift.error is not None:
        evidence = f"{drift.path}: {drift.error}"
        return Finding("warning", "team.unreadable", subject, evidence, "move the file away, or restore it")
    if drift.no_file:
        evidence, hint = "the team is in the database but has no file", "the next message to it writes the file"
        return Finding("info", "team.no_file", subject, evidence, hint)
    hint = "li state import-teams"
    if drift.only_in_db and not (drift.only_in_file or drift.changed or drift.no_row):
        hint = f"li team export {drift.team_id} --output {drift.path} --force"
    return Finding("warning", "team.drift", subject, _evidence(drift), hint)


def _evidence(drift: TeamDrift) -> str:
    parts = [
        (drift.no_row, "the team is not in the database"),
        (drift.only_in_file, f"messages only in the file: {drift.only_in_file}"),
        (drift.only_in_db, f"messages only in the database: {drift.only_in_db}"),
        (drift.changed, f"messages that differ: {drift.changed}"),
    ]
    return "; ".join(text for count, text in parts if count) or "name, members, status or time differ"
