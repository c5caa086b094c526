"""Runs, sessions, branches and messages."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel, StateView


class RunView(ResponseModel):
    """A session in a list."""

    id: str
    display_name: str = Field(description="name, else show / play, playbook, agent, or the start of the id")
    created_at: float
    updated_at: float | None
    name: str | None
    user: str | None
    playbook_name: str | None
    agent_name: str | None
    invocation_kind: str | None
    show_topic: str | None
    show_play_name: str | None
    artifacts_path: str | None
    source_kind: str | None
    status: str | None
    started_at: float | None
    ended_at: float | None
    duration_ms: float | None
    last_message_at: float | None
    message_count: int
    branch_count: int
    model: str | None
    provider: str | None
    project: str | None
    cwd: str | None
    git_commit: str | None
    exit_code: int | None
    health: str | None
    delivery: str | None
    reason_codes: list[str]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_microusd: int | None
    owner: dict[str, Any] | None
    effective_health: str
    state: StateView


class RunHealth(StrEnum):
    """The health of a run, with ADR-0019's `stale`."""

    OK = "ok"
    RUNNING = "running"
    WAITING = "waiting"
    IDLE = "idle"
    STALE = "stale"
    STALLED = "stalled"
    PROCESS_DEAD = "process_dead"
    ORPHANED = "orphaned"
    UNKNOWN = "unknown"


class Runs(Read):
    """A page of runs, newest first."""

    runs: list[RunView]
    next_cursor: str | None
    counts: dict[str, int] = Field(description="all sessions by status, without filters")


class FacetValue(ResponseModel):
    """The number of runs with a filter value."""

    value: str
    runs: int
    more: bool = Field(description="more runs exist than were counted")


class Facets(Read):
    """The values of each filter under the other filters, most runs first."""

    status: list[FacetValue]
    kind: list[FacetValue]
    source: list[FacetValue]
    project: list[FacetValue]
    agent: list[FacetValue]
    playbook: list[FacetValue]


class Ancestor(ResponseModel):
    """A branch whose messages 0 to last_ord another branch inherited."""

    branch_id: str
    name: str | None
    session_id: str
    session_name: str | None
    message_count: int
    last_ord: int


class BranchView(ResponseModel):
    """A branch of a session."""

    id: str
    created_at: float
    name: str | None
    user: str | None
    system_msg_id: str | None
    parent_branch_id: str | None
    forked_at_ord: int | None
    message_count: int
    metadata: dict[str, Any]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_microusd: int | None
    inherited: list[Ancestor] = Field(description="the branches it was forked from, oldest first")


class Fork(ResponseModel):
    """A branch that was forked from a branch of this session."""

    branch_id: str
    name: str | None
    session_id: str
    session_name: str | None
    status: str | None
    created_at: float
    parent_branch_id: str
    forked_at_ord: int | None = Field(description="the last inherited message, by its ord in the parent branch")
    session_ord: int | None = Field(description="the same message, by its ord in this session")


class SourceView(ResponseModel):
    """The play that a run belongs to."""

    topic: str
    play: str


class Commands(ResponseModel):
    """Terminal commands for a run."""

    resume: str
    fork: str
    logs: str
    kill: str
    export: str


class SessionDetail(Read):
    """A session without its messages."""

    session: RunView
    metadata: dict[str, Any]
    branches: list[BranchView]
    forks: list[Fork]
    source: SourceView | None
    commands: Commands


class RunDetail(SessionDetail):
    """A session with the manifest of an archived run, if there is one."""

    manifest: dict[str, Any] | None
    manifest_error: str | None


class ArtifactFile(ResponseModel):
    """A file in the folder of a run."""

    path: str
    size: int
    changed_at: float


class Artifacts(Read):
    """The files in the folder of a run, below the home or the shows folder."""

    session_id: str
    root: str | None
    files: list[ArtifactFile]
    has_more: bool


class ArtifactText(ResponseModel):
    """Some bytes of a file, as text."""

    path: str
    start: int
    total: int = Field(description="size of the file in bytes")
    text: str


class StopRequest(RequestModel):
    """The grace period before the processes are killed."""

    grace_seconds: float = Field(default=15, ge=0, le=60)


class StopResultView(Read):
    """The outcome of a stop; `over` is false for a run that is or may be still running."""

    session_id: str
    over: bool
    outcome: str
