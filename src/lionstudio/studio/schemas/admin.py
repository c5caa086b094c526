"""Administration: findings, maintenance, imports, settings."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel


class FindingView(ResponseModel):
    """A finding of the doctor."""

    severity: str
    code: str
    subject: str
    evidence: str
    advice: str


class StaleRun(ResponseModel):
    """A run that is stale and proven dead, with the evidence."""

    session_id: str
    evidence: list[str]


class Doctor(Read):
    """Every finding, and the runs that are stale and proven dead."""

    findings: list[FindingView]
    transitions: list[StaleRun]


class Transitions(Read):
    """The runs that would be, or were, marked as failed."""

    dry_run: bool
    transitions: list[StaleRun]


class MarkedFailedView(RequestModel):
    """A request to mark stale runs as failed; a dry run only lists them."""

    dry_run: bool = True
    session_ids: list[str] | None = Field(
        default=None, max_length=1000, description="only these sessions (default: all)"
    )


class Mode(StrEnum):
    """A checkpoint mode of SQLite."""

    TRUNCATE = "TRUNCATE"
    PASSIVE = "PASSIVE"
    RESTART = "RESTART"
    FULL = "FULL"


class Checkpoint(RequestModel):
    """A request for a checkpoint."""

    mode: Mode = Mode.PASSIVE


class CheckpointResult(ResponseModel):
    """Frames in the log, checkpointed frames, and whether another connection blocked it."""

    busy: bool
    log_frames: int
    folded_frames: int


class CheckpointedView(Read):
    """The result of a checkpoint."""

    result: CheckpointResult


class VacuumResult(ResponseModel):
    """The size of the file before and after."""

    bytes_before: int
    bytes_after: int


class Vacuumed(Read):
    """The result of a vacuum."""

    result: VacuumResult


class BackupResult(ResponseModel):
    """The path and size of the backup."""

    path: str
    bytes: int


class BackedUp(Read):
    """The result of a backup."""

    result: BackupResult


class PrunePlanView(ResponseModel):
    """The rows that a prune would delete, the bytes it would free, and the old sessions it keeps, by reason."""

    sessions: int
    kept_running: int
    kept_for_plays: int
    kept_for_teams: int
    kept_for_forks: int
    orphan_progressions: int
    orphan_messages: int
    bytes_freed: int


class PrunePreview(Read):
    """A preview of a prune; `POST /api/launches` with `prune sessions` runs it."""

    plan: PrunePlanView
    keep_days: int
    keep_n: int


class Backup(RequestModel):
    """The file name of the backup in the folder `backups` of the home (default: state-<time>.db)."""

    name: str | None = Field(default=None, max_length=100)


class Day(ResponseModel):
    """Sessions and messages of one day."""

    at: float = Field(description="the start of the day in UTC")
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
    bytes: dict[str, int] | None = Field(
        default=None, description="sizes of the largest tables and indexes, with ?sizes=true"
    )


class DatabaseStats(Read):
    """The database and its growth on the last days."""

    stats: DatabaseFacts
    growth: list[Day]


class ProgressView(ResponseModel):
    """A running import or upgrade of the database, in any process."""

    id: str
    what: str
    pid: int
    done: int
    total: int = Field(description="0 if unknown")
    began_at: float
    told_at: float


class Works(ResponseModel):
    """Running imports and upgrades, oldest first."""

    work: list[ProgressView]


class TranscriptFileView(ResponseModel):
    """A transcript of another tool that was not read completely."""

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
    """The progress of reading the transcripts of a tool."""

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
    """Sessions by source, files that could be imported, and running imports."""

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
    """A run that is marked running, with the evidence of its health."""

    id: str
    display_name: str
    health: str
    label: str
    severity: str
    evidence: str | None
    since: float | None


class HealthOverview(Read):
    """The runs that are marked running, by health, most severe first."""

    groups: list[HealthGroup]
    runs: list[HealthRun]
    has_more: bool


class Logs(ResponseModel):
    """The end of the log."""

    lines: list[str]


class SettingShape(ResponseModel):
    """A setting: its value, its origin and its environment variable."""

    name: str
    value: str | int | bool | None
    origin: str
    variable: str
    meaning: str
    default: str


class SettingsShape(ResponseModel):
    """Every setting with its origin."""

    settings: dict[str, str | int | bool | None]
    origins: dict[str, str]
    items: list[SettingShape]
    read_only: bool


class Health(ResponseModel):
    """The server is running."""

    status: str
    version: str
