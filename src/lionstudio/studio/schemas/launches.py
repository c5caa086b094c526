"""Processes that Studio starts."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.admin import ProgressView
from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel


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
    host: str | None = Field(description="the machine that it runs on")
    progress: ProgressView | None = Field(default=None, description="of a running import")


class LaunchAnswer(ResponseModel):
    """One launch."""

    launch: LaunchView


class LaunchDetail(LaunchAnswer):
    """A launch with the end of its output."""

    output: str


class LaunchList(ResponseModel):
    """Every launch of this server and of the other ones of the database, newest first."""

    launches: list[LaunchView]


class NewLaunch(RequestModel):
    """A process to start."""

    verb: str = Field(max_length=20, description="agent, play, flow or fanout; plan; mirror, import, demo or prune")
    target: str | None = Field(
        default=None,
        max_length=200,
        description="an agent, provider/model or playbook; a topic; claude, codex, runs, shows, teams, show, sessions",
    )
    prompt: str = ""
    options: dict[str, str | int | list[str]] = Field(default_factory=dict, max_length=20)


class FolderChoice(ResponseModel):
    """The folder that the choices are for."""

    path: str
    problem: str | None = Field(description="why an agent cannot work in it")
    is_repository: bool


class AgentChoice(ResponseModel):
    """An agent of a definition, or a provider; `problem` is the reason why it cannot run."""

    name: str
    kind: str = Field(description="agent or provider")
    description: str | None
    provider: str | None
    model: str | None
    permissions: str | None
    program: str | None = Field(default=None, description="the path of the provider's program")
    problem: str | None
    needs_model: bool = False
    abilities: list[str]


class PlaybookArgument(ResponseModel):
    """An argument of a playbook, as a field of a form."""

    name: str
    type: str = Field(description="str, int, float or bool")
    default: str | int | float | bool | None
    help: str | None
    required: bool


class PlaybookChoice(ResponseModel):
    """A playbook with its arguments."""

    name: str
    description: str | None
    agents: list[str]
    args: list[PlaybookArgument]
    takes_input: bool = Field(description="its prompt has a place for the input")
    problem: str | None


class LaunchChoices(Read):
    """The runs that can be started from a folder."""

    folder: FolderChoice
    folders: list[str] = Field(description="of the newest runs")
    agents: list[AgentChoice]
    playbooks: list[PlaybookChoice]
    models: dict[str, list[str]] = Field(description="models of the newest runs, by provider")
    sandbox_problem: str | None


class RunRequest(Read):
    """The request of a run, to start it again; `problem` is the reason why Studio cannot."""

    kind: str = Field(description="agent or playbook")
    target: str | None
    prompt: str
    folder: str | None
    options: dict[str, Any]
    args: dict[str, str]
    problem: str | None
