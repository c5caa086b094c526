"""Looking after the database, and launches."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.studio.wire.shared import Answer, Given, Read


class Finding(Answer):
    """One thing that the doctor found."""

    severity: str
    code: str
    subject: str
    evidence: str
    advice: str


class Doctor(Read):
    """Every finding, and the runs that are stale and proven dead."""

    findings: list[Finding]
    transitions: list[dict[str, Any]]


class Transitions(Read):
    """What would be, or was, marked failed."""

    dry_run: bool
    transitions: list[dict[str, Any]]


class Transition(Given):
    """Whether to do it, or only to say what would be done."""

    dry_run: bool = True


class Mode(StrEnum):
    """How thorough a checkpoint is."""

    TRUNCATE = "TRUNCATE"
    PASSIVE = "PASSIVE"
    RESTART = "RESTART"
    FULL = "FULL"


class Checkpoint(Given):
    """Which kind."""

    mode: Mode = Mode.PASSIVE


class Done(Read):
    """What an upkeep did."""

    result: dict[str, Any]


class PrunePreview(Read):
    """What a prune would delete, and what it keeps although it is old enough."""

    plan: dict[str, int]
    keep_days: int
    keep_n: int


class Backup(Given):
    """The name of the copy, in the folder `backups` of the home; one is made up when none is given."""

    name: str | None = Field(default=None, max_length=100)


class DatabaseStats(Read):
    """Sizes, rows, pragmas."""

    stats: dict[str, Any]


class ImportStatus(Read):
    """How much came from where, and what lies in the home that could be brought in."""

    sessions_by_source: dict[str, int]
    runs_on_disk: int
    shows_on_disk: int
    mirrored_files: dict[str, int]


class Logs(Answer):
    """The end of the log."""

    lines: list[str]


class SettingsShape(Answer):
    """Every setting with where it came from."""

    settings: dict[str, Any]
    origins: dict[str, str]
    read_only: bool


class Launch(Answer):
    """A process that Studio started."""

    id: str
    session_id: str
    verb: str
    target: str | None
    options: dict[str, Any]
    started_at: float
    pid: int
    running: bool
    exit_code: int | None
    log: str


class LaunchAnswer(Answer):
    """One launch."""

    launch: Launch


class LaunchList(Answer):
    """Every launch of this server, newest first."""

    launches: list[Launch]


class NewLaunch(Given):
    """What to start."""

    verb: str = Field(max_length=20, description="agent, play, flow or fanout")
    target: str | None = Field(default=None, max_length=200, description="an agent, a provider/model, a playbook")
    prompt: str
    options: dict[str, str | int | list[str]] = Field(default_factory=dict, max_length=20)


class Health(Answer):
    """That it runs."""

    status: str
    version: str
