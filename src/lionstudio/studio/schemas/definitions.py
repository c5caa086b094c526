"""Agents, playbooks, skills, plugins, and the versions of edited definitions."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel


class Kind(StrEnum):
    """The kinds of definitions that have versions."""

    AGENT = "agent"
    PLAYBOOK = "playbook"


class TextProblem(ResponseModel):
    """A problem of a text: an error makes it unusable, a warning does not."""

    severity: str
    line: int | None
    message: str
    hint: str | None


class SearchPathView(ResponseModel):
    """A folder of the search path; `refused` is the reason why it was not read, `hint` the command that changes it."""

    path: str
    origin: str
    refused: str | None
    hint: str | None = None


class Argument(ResponseModel):
    """An argument of a playbook."""

    name: str
    type: str = Field(description="str, int, float or bool")
    default: Any = None
    help: str | None = None
    required: bool


class DefinitionView(ResponseModel):
    """A definition; `error` is set for one that is not valid."""

    kind: str
    name: str
    origin: str
    path: str
    description: str | None
    error: str | None
    problems: list[TextProblem]
    etag: str | None = None
    shadowed_by: str | None = None
    model: str | None = Field(default=None, description="of an agent")
    effort: str | None = Field(default=None, description="of an agent")
    mode: str | None = Field(default=None, description="of a playbook")
    agents: list[str] | None = Field(default=None, description="of a playbook")
    args: list[Argument] | None = Field(default=None, description="of a playbook")
    fields: dict[str, Any] | None = Field(default=None, description="all other fields of the text")


class Definitions(Read):
    """Every definition of a kind, and the search path."""

    items: list[DefinitionView]
    places: list[str]
    looked: list[SearchPathView]


class ComponentView(ResponseModel):
    """A component of a plugin."""

    kind: str = Field(description="skill, agent, command, hook or server")
    name: str
    path: str
    description: str | None = None
    problems: list[TextProblem]


class PluginView(ResponseModel):
    """A plugin with its components; `error` and `problems` are set for one that did not load."""

    kind: str
    id: str
    name: str
    version: str | None
    description: str | None
    origin: str
    path: str
    error: str | None
    problems: list[TextProblem]
    counts: dict[str, int]
    bad_components: int
    components: list[ComponentView]
    read_only: bool = Field(description="Claude Code manages it, or its folder cannot be written")
    newest: str | None = Field(description="the version that is used instead of this one")


class PluginText(ResponseModel):
    """A skill, an agent or a command: its text without the front matter, and the files beside a skill."""

    kind: str
    name: str
    path: str
    text: str | None
    files: list[str]


class PluginHook(ResponseModel):
    """A hook: the event, the tools it is for, and what it runs."""

    event: str
    matcher: str
    type: str
    action: str
    path: str


class PluginServer(ResponseModel):
    """An MCP server; its variables and headers have names and no values."""

    name: str
    command: str | None
    url: str | None
    variables: list[str]
    headers: list[str]
    path: str


class PluginDetail(Read):
    """A plugin with its content."""

    plugin: PluginView
    readme: str | None
    texts: list[PluginText]
    hooks: list[PluginHook]
    servers: list[PluginServer]


class Plugins(Read):
    """Every plugin, and the search path."""

    items: list[PluginView]
    places: list[str]
    looked: list[SearchPathView]


class DefinitionDetail(Read):
    """One definition with its text."""

    definition: DefinitionView
    text: str | None


class CheckedText(ResponseModel):
    """The validation of an unsaved text."""

    definition: DefinitionView


class VersionView(ResponseModel):
    """A version; lists omit the text."""

    version: int
    sha256: str
    author: str | None
    message: str | None
    created_at: float
    path: str | None
    content: str | None = None


class Versions(Read):
    """The versions, newest first."""

    versions: list[VersionView]


class DeletedDefinition(Read):
    """The last version of a deleted definition."""

    version: VersionView


class OneVersion(Read):
    """A version with its text."""

    version: VersionView


class Draft(RequestModel):
    """A text to validate."""

    text: str


class NewText(RequestModel):
    """A text to save."""

    text: str
    message: str | None = Field(default=None, max_length=2000)


class RollbackRequest(RequestModel):
    """The version to restore."""

    version: int = Field(ge=1, le=2**31)
