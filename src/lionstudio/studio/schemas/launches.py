"""Processes that Studio starts."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.shared import RequestModel, ResponseModel


class LaunchView(ResponseModel):
    """A process that Studio started."""

    id: str
    session_id: str | None = Field(description="the session of an agent run, null for a task")
    verb: str
    target: str | None
    options: dict[str, Any]
    started_at: float
    pid: int
    running: bool
    exit_code: int | None
    log: str


class LaunchAnswer(ResponseModel):
    """One launch."""

    launch: LaunchView


class LaunchDetail(LaunchAnswer):
    """A launch with the end of its output."""

    output: str


class LaunchList(ResponseModel):
    """Every launch of this server, newest first."""

    launches: list[LaunchView]


class NewLaunch(RequestModel):
    """A process to start."""

    verb: str = Field(max_length=20, description="agent, play, flow or fanout; mirror, import or prune")
    target: str | None = Field(
        default=None,
        max_length=200,
        description="an agent, a provider/model, a playbook; claude or codex; runs, shows or teams; sessions",
    )
    prompt: str = ""
    options: dict[str, str | int | list[str]] = Field(default_factory=dict, max_length=20)
