"""Administration: findings, maintenance, imports, settings."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel


class FindingView(ResponseModel):
    """A finding of the doctor."""

    severity: str
    code: str
    subject: str
    evidence: str
    advice: str
    session_id: str | None = Field(default=None, description="the run that it is about")
    display_name: str | None = Field(default=None, description="of that run")
    topic: str | None = Field(default=None, description="the show that it is about")


class DeadRunView(ResponseModel):
    """A run that is marked running and proven dead, with the evidence."""

    session_id: str
    display_name: str
    evidence: list[str]


class Doctor(Read):
    """Every finding, and the runs that are proven dead."""

    findings: list[FindingView]
    transitions: list[DeadRunView]


class Transitions(Read):
    """The runs that would be, or were, marked as failed."""

    dry_run: bool
    transitions: list[DeadRunView]


class DoubleView(ResponseModel):
    """A recorded run, and the copy of it that was imported from its transcript."""

    session_id: str
    copy_id: str
    tool: str
    title: str | None
    messages: int = Field(description="of the copy")


class Doubles(Read):
    """The runs that are stored twice."""

    doubles: list[DoubleView]


class MarkedFailedView(RequestModel):
    """A request to mark dead runs as failed; a dry run only lists them."""

    dry_run: bool = True
    session_ids: list[str] | None = Field(
        default=None, max_length=1000, description="these, stale or not (default: all that are stale)"
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
    left_messages: int = Field(description="messages of deleted sessions that stay in the file without `orphans`")
    left_bytes: int
    newest_at: float | None = Field(description="the last update of any session; a clock far from it may be wrong")


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


class FollowedTool(ResponseModel):
    """A tool whose transcripts are imported as they are written, by this server or another process."""

    tool: str
    title: str
    root: str
    pid: int
    since: float
    is_ours: bool = Field(description="a process of this server follows it")


class FollowerView(ResponseModel):
    """The switch of this server, and the tools that are followed."""

    enabled: bool
    can_switch: bool = Field(description="false on a read-only server")
    error: str | None = Field(description="why the last attempt of this server ended; it tries again")
    tools: list[FollowedTool]


class FollowSwitch(RequestModel):
    """Follow transcripts, or stop following them until the server restarts."""

    enabled: bool


class FollowerAnswer(ResponseModel):
    follower: FollowerView


class ImportChoice(ResponseModel):
    """An import that `POST /api/launches` can start."""

    verb: str
    target: str
    title: str


class MirrorStatus(ResponseModel):
    """The progress of reading the transcripts of a tool."""

    tool: str
    title: str
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
    follower: FollowerView
    targets: list[ImportChoice]
    work: list[ProgressView]


class HistoryView(ResponseModel):
    """The sessions of another program on this machine."""

    tool: str
    title: str
    root: str
    sessions: int = Field(description="transcripts on disk, without those of sub-agents")
    imported: int


class Histories(Read):
    """The sessions of each program whose transcripts can be imported."""

    histories: list[HistoryView]
    location: str = Field(description="the options that a command in another terminal needs for this home")


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
    is_dead: bool = Field(description="its process is proven gone")
    since: float | None


class HealthOverview(Read):
    """The runs that are marked running, by health, most severe first."""

    groups: list[HealthGroup]
    runs: list[HealthRun]
    has_more: bool


class LogEntry(ResponseModel):
    """A line of the log; one that is not JSON is its own message."""

    at: float | None
    level: Literal["error", "warning", "info"]
    event: str
    message: str
    raw: str


class Logs(ResponseModel):
    """The end of the log."""

    lines: list[str]
    entries: list[LogEntry]


class SettingShape(ResponseModel):
    """A setting: its value, its origin and its environment variable."""

    name: str
    value: str | int | bool | None
    origin: str
    variable: str
    meaning: str
    default: str
    kind: Literal["text", "path", "integer", "boolean", "choice"]
    choices: list[str]
    hidden: bool = Field(description="the value may hold a key and is shown in part")
    locked: str | None = Field(description="why it cannot be changed here")
    in_use: str | int | bool | None = Field(description="the value that this server started with")


class SettingsShape(ResponseModel):
    """Every setting with its origin."""

    settings: dict[str, str | int | bool | None]
    origins: dict[str, str]
    items: list[SettingShape]
    read_only: bool


class SettingChange(RequestModel):
    """The new value as text, or null to remove it from config.toml."""

    value: str | None = Field(max_length=4000)


class ChangedSetting(ResponseModel):
    """A setting after a change, and whether the file was different before."""

    setting: SettingShape
    path: str
    changed: bool


class Health(ResponseModel):
    """The server is running."""

    status: str
    version: str
