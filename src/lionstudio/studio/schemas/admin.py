"""Looking after the database: findings, upkeep, imports, settings."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel


class FindingView(ResponseModel):
    """One thing that the doctor found."""

    severity: str
    code: str
    subject: str
    evidence: str
    advice: str


class StaleRun(ResponseModel):
    """A run that is stale and proven dead, and what proves it."""

    session_id: str
    evidence: list[str]


class Doctor(Read):
    """Every finding, and the runs that are stale and proven dead."""

    findings: list[FindingView]
    transitions: list[StaleRun]


class Transitions(Read):
    """What would be, or was, marked failed."""

    dry_run: bool
    transitions: list[StaleRun]


class MarkedFailedView(RequestModel):
    """Whether to do it, or only to say what would be done."""

    dry_run: bool = True
    session_ids: list[str] | None = Field(default=None, max_length=1000, description="only these; without it all")


class Mode(StrEnum):
    """How thorough a checkpoint is."""

    TRUNCATE = "TRUNCATE"
    PASSIVE = "PASSIVE"
    RESTART = "RESTART"
    FULL = "FULL"


class Checkpoint(RequestModel):
    """Which kind."""

    mode: Mode = Mode.PASSIVE


class CheckpointResult(ResponseModel):
    """Frames in the log, frames folded back, and whether somebody was in the way."""

    busy: bool
    log_frames: int
    folded_frames: int


class CheckpointedView(Read):
    """What a checkpoint did."""

    result: CheckpointResult


class VacuumResult(ResponseModel):
    """The size of the file before and after."""

    bytes_before: int
    bytes_after: int


class Vacuumed(Read):
    """What a vacuum did."""

    result: VacuumResult


class BackupResult(ResponseModel):
    """Where the copy is, and how large."""

    path: str
    bytes: int


class BackedUp(Read):
    """What a backup made."""

    result: BackupResult


class PrunePlan(ResponseModel):
    """What a prune would delete and free, and what it keeps although it is old enough, with the reason."""

    sessions: int
    kept_running: int
    kept_for_plays: int
    kept_for_teams: int
    kept_for_forks: int
    orphan_progressions: int
    orphan_messages: int
    bytes_freed: int


class PrunePreview(Read):
    """What a prune would do; `POST /api/launches` with `prune sessions` does it."""

    plan: PrunePlan
    keep_days: int
    keep_n: int


class Backup(RequestModel):
    """The name of the copy, in the folder `backups` of the home; one is made up when none is given."""

    name: str | None = Field(default=None, max_length=100)


class Day(ResponseModel):
    """What came in on one day."""

    at: float = Field(description="the beginning of the day in UTC")
    sessions: int
    messages: int


class DatabaseFacts(ResponseModel):
    """Sizes, rows, pragmas."""

    path: str
    schema_version: int
    size_bytes: int
    wal_bytes: int
    free_bytes: int
    rows: dict[str, int]
    sessions_by_status: dict[str, int]
    unindexed_messages: int
    pragmas: dict[str, Any]
    bytes: dict[str, int] | None = Field(default=None, description="of the largest tables and indexes, on request")


class DatabaseStats(Read):
    """The database, and how it grew on the last days."""

    stats: DatabaseFacts
    growth: list[Day]


class ProgressView(ResponseModel):
    """Something long that goes on in some process now: an import, an upgrade of the database."""

    id: str
    what: str
    pid: int
    done: int
    total: int = Field(description="0 where it is not known")
    began_at: float
    told_at: float


class Works(ResponseModel):
    """What goes on now, the oldest first."""

    work: list[ProgressView]


class TranscriptFileView(ResponseModel):
    """A transcript of another tool that was not read to its end, or not all of it."""

    path: str
    tool: str
    session_id: str | None
    size: int
    read_to: int
    messages: int
    skipped: dict[str, int]
    read_at: float
    gone_at: float | None


class MirrorStatus(ResponseModel):
    """How far the transcripts of a tool have been read."""

    tool: str
    files: int
    messages: int
    bytes: int
    bytes_read: int
    incomplete: int
    skipped: int
    gone: int
    read_at: float | None


class ImportStatus(Read):
    """How much came from where, what lies in the home that could be brought in, and what is being brought in now."""

    sessions_by_source: dict[str, int]
    runs_on_disk: int
    runs_imported: int
    shows_on_disk: int
    shows_imported: int
    teams_imported: int
    mirrored_files: dict[str, int]
    mirrors: list[MirrorStatus]
    troubled: list[TranscriptFileView]
    work: list[ProgressView]


class HealthGroup(ResponseModel):
    """The runs of one health."""

    health: str
    label: str
    severity: str
    runs: int


class HealthRun(ResponseModel):
    """A run that is marked running, and what says how it does."""

    id: str
    display_name: str
    health: str
    label: str
    severity: str
    evidence: str | None
    since: float | None


class HealthOverview(Read):
    """Everything that is marked running by its health, the worst first."""

    groups: list[HealthGroup]
    runs: list[HealthRun]
    has_more: bool


class Logs(ResponseModel):
    """The end of the log."""

    lines: list[str]


class SettingShape(ResponseModel):
    """One setting: its value, where that came from, and where it may be given."""

    name: str
    value: str | int | bool | None
    origin: str
    variable: str
    meaning: str
    default: str


class SettingsShape(ResponseModel):
    """Every setting with where it came from."""

    settings: dict[str, str | int | bool | None]
    origins: dict[str, str]
    items: list[SettingShape]
    read_only: bool


class Health(ResponseModel):
    """That it runs."""

    status: str
    version: str
