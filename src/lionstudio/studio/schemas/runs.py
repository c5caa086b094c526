"""Runs, sessions, branches and messages."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.model.status.terminals import TerminalState
from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel, StateView, TransitionView


class RunView(ResponseModel):
    """A session in a list."""

    id: str
    display_name: str = Field(description="name, else show / play, title, playbook, agent, or the start of the id")
    created_at: float
    updated_at: float | None
    name: str | None = Field(description="the name a person gave")
    title: str | None = Field(description="the first line of the prompt")
    user: str | None
    playbook_name: str | None
    agent_name: str | None
    invocation_kind: str | None
    show_topic: str | None
    show_play_name: str | None
    artifacts_path: str | None
    source_kind: str | None
    source_name: str
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
    conversation_id: str | None = Field(description="the vendor's id of the conversation")
    continues: str | None = Field(description="the run that it resumed")
    retries: str | None = Field(description="the run that it repeats")
    forked_from: str | None = Field(description="the run that it was forked from")
    note: str | None
    tags: list[str] = Field(default=[])
    machine_id: str | None = Field(description="the machine that it ran on, or that imported it")
    machine_name: str | None = Field(description="its name, if it pushes to this database")


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
    """A page of runs, in the order that was asked for."""

    runs: list[RunView]
    next_cursor: str | None
    counts: dict[str, int] = Field(description="all sessions by status, without filters")


class FacetValue(ResponseModel):
    """The number of runs with a filter value."""

    value: str
    label: str
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
    show: list[FacetValue]
    model: list[FacetValue]
    tag: list[FacetValue]
    machine: list[FacetValue] = Field(description="by id, among the newest runs")
    health: list[FacetValue] = Field(description="of running runs")


class RunTotals(Read):
    """The number of runs that filters leave, and the sums of their tokens and known costs."""

    runs: int
    more: bool = Field(description="more runs exist than were counted and summed")
    tokens: int = Field(description="input, output, cache read and cache write")
    cost_microusd: int | None = Field(description="null where no price is known")
    all_runs: int = Field(description="the number of runs without filters")


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
    """Terminal commands for a run, which work as printed."""

    target: str | None = Field(description="the agent or provider that continues it")
    resume: str | None
    vendor: str | None = Field(description="opens the conversation in the vendor's own program")
    fork: str | None
    no_resume_reason: str | None = Field(description="why it cannot be resumed")
    logs: str
    kill: str
    export: str


class ExpectedArtifact(ResponseModel):
    """A file that the playbook of a run must deliver, as it was when the run ended."""

    id: str
    path: str
    required: bool
    description: str | None
    state: str = Field(description="delivered, missing or invalid")
    size: int | None
    sha256: str | None
    unchanged: bool = Field(description="the file was there before the run, and is the same")
    problem: str | None


class RunOrigin(ResponseModel):
    """A run that another one continues, retries or was forked from."""

    id: str
    relation: str = Field(description="continues, retries or forked_from")
    name: str | None = Field(description="null for a run that was deleted")


class Successor(ResponseModel):
    """A run that continued, retried or forked another."""

    id: str
    name: str | None
    relation: str = Field(description="continued, retried or forked")
    status: str | None
    created_at: float


class TerminalView(ResponseModel):
    """A vendor's program in a terminal of the user, as its hooks report it."""

    tool: str
    conversation_id: str
    session_id: str
    state: TerminalState
    label: str
    since: float
    cwd: str | None
    hooks_version: int
    last_event: str
    last_event_at: float
    events: int
    unknown_events: int = Field(description="events of a newer program, which are ignored")


class Terminals(Read):
    """The terminals whose program runs, newest event first."""

    terminals: list[TerminalView]
    listens: bool = Field(description="whether this Studio takes the events of hooks; one of a home does")


class SessionDetail(Read):
    """A session without its messages."""

    session: RunView
    metadata: dict[str, Any]
    branches: list[BranchView]
    forks: list[Fork]
    source: SourceView | None
    artifacts: list[ExpectedArtifact]
    origins: list[RunOrigin]
    successors: list[Successor]
    commands: Commands
    terminal: TerminalView | None = Field(description="the connected terminal that it runs in")
    transitions: list[TransitionView] = Field(description="the status history, oldest first")


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


class RunLabels(RequestModel):
    """The fields to change; a name or note that is null or blank is removed."""

    name: str | None = None
    note: str | None = None
    tags: list[str] | None = Field(default=None, max_length=50, description="the tags that the run has from now on")


class RemovedRun(Read):
    """The rows that were deleted."""

    id: str
    sessions: int
    messages: int
    kept_messages: int = Field(description="messages that another run has too")
    bytes_freed: int


class StopRequest(RequestModel):
    """The grace period before the processes are killed."""

    grace_seconds: float = Field(default=15, ge=0, le=60)


class StopResultView(Read):
    """The outcome of a stop; `over` is false for a run that is or may be still running."""

    session_id: str
    over: bool
    outcome: str
