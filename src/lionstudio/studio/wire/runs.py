"""Runs, sessions, branches and messages."""

from __future__ import annotations

from typing import Any

from lionstudio.studio.wire.shared import Answer, Read, StateShape


class Run(Answer):
    """A session as lists show it."""

    id: str
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
    state: StateShape


class Runs(Read):
    """A page of runs, newest first."""

    runs: list[Run]
    next_cursor: str | None
    counts: dict[str, int]


class Branch(Answer):
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


class Source(Answer):
    """The play that a run belongs to."""

    topic: str
    play: str


class SessionDetail(Read):
    """A session whole, but for its messages."""

    session: Run
    metadata: dict[str, Any]
    branches: list[Branch]
    source: Source | None


class RunDetail(SessionDetail):
    """The same, with the manifest of an archived run where there is one."""

    manifest: dict[str, Any] | None
    manifest_error: str | None


class Message(Answer):
    """A message at its place in the session."""

    ord: int
    id: str
    branch_id: str | None
    missing: bool
    created_at: float | None
    metadata: Any
    content: Any
    sender: str | None = None
    recipient: str | None = None
    channel: str | None = None
    role: str | None = None
    lion_class: str | None = None


class Messages(Read):
    """A window into a session's messages, in order."""

    session_id: str
    message_count: int
    messages: list[Message]
    has_more: bool
