"""Runs, sessions, branches and messages."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel, StateView


class RunView(ResponseModel):
    """A session as lists show it."""

    id: str
    display_name: str = Field(description="show / play, else name, playbook, agent, or the beginning of the id")
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
    counts: dict[str, int] = Field(description="all sessions by status, whatever the filters")


class FacetValue(ResponseModel):
    """How many runs a value of a filter would leave."""

    value: str
    runs: int
    more: bool = Field(description="there are more than were counted")


class Facets(Read):
    """The values of each filter beside the other filters, those with most runs first."""

    status: list[FacetValue]
    kind: list[FacetValue]
    source: list[FacetValue]
    project: list[FacetValue]
    agent: list[FacetValue]
    playbook: list[FacetValue]


class Ancestor(ResponseModel):
    """A branch whose messages 0..last_ord another branch inherited."""

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
    inherited: list[Ancestor] = Field(description="what it saw before its own messages, the oldest first")


class Fork(ResponseModel):
    """A branch that was forked from one of this session's."""

    branch_id: str
    name: str | None
    session_id: str
    session_name: str | None
    status: str | None
    created_at: float
    parent_branch_id: str
    forked_at_ord: int | None = Field(description="the last message that it saw, counted in its parent branch")
    session_ord: int | None = Field(description="the same message, counted in this session")


class SourceView(ResponseModel):
    """The play that a run belongs to."""

    topic: str
    play: str


class Commands(ResponseModel):
    """What to type in a terminal."""

    resume: str
    fork: str
    logs: str
    kill: str
    export: str


class SessionDetail(Read):
    """A session whole, but for its messages."""

    session: RunView
    metadata: dict[str, Any]
    branches: list[BranchView]
    forks: list[Fork]
    source: SourceView | None
    commands: Commands


class RunDetail(SessionDetail):
    """The same, with the manifest of an archived run where there is one."""

    manifest: dict[str, Any] | None
    manifest_error: str | None


class ArtifactFile(ResponseModel):
    """A file that a run left beside the database."""

    path: str
    size: int
    changed_at: float


class Artifacts(Read):
    """The files of a run's folders, as far as they lie in the home or in the shows."""

    session_id: str
    root: str | None
    files: list[ArtifactFile]
    has_more: bool


class ArtifactText(ResponseModel):
    """Some bytes of a file, as text."""

    path: str
    start: int
    total: int = Field(description="bytes of the whole")
    text: str


class StopRequest(RequestModel):
    """How long it may take to end by itself."""

    grace_seconds: float = Field(default=15, ge=0, le=60)


class StopResult(Read):
    """What became of it; `over` is false for a run that still runs, or may."""

    session_id: str
    over: bool
    outcome: str
