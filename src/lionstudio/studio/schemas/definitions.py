"""Agents, playbooks, skills, plugins, and the history of what people edit."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel


class Kind(StrEnum):
    """What has a history."""

    AGENT = "agent"
    PLAYBOOK = "playbook"


class TextProblem(ResponseModel):
    """What is wrong with a text: an error makes it unusable, a warning does not."""

    severity: str
    line: int | None
    message: str
    hint: str | None


class SearchPathView(ResponseModel):
    """A folder that was looked through; `refused` says why it was not."""

    path: str
    origin: str
    refused: str | None


class Argument(ResponseModel):
    """What a playbook asks for."""

    name: str


class DefinitionView(ResponseModel):
    """One file, or one item that cannot be used; then `error` says why."""

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
    fields: dict[str, Any] | None = Field(default=None, description="everything else that the text says")


class Definitions(Read):
    """Every definition of a kind, and where was looked for them."""

    items: list[DefinitionView]
    places: list[str]
    looked: list[SearchPathView]


class ComponentView(ResponseModel):
    """A part of a plugin."""

    kind: str
    name: str
    path: str
    problems: list[TextProblem]


class PluginView(ResponseModel):
    """A plugin with its parts, or one that did not load; then `error` and `problems` say why."""

    kind: str
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


class Plugins(Read):
    """Every plugin, and where was looked for them."""

    items: list[PluginView]
    places: list[str]
    looked: list[SearchPathView]


class DefinitionDetail(Read):
    """One definition with its text."""

    definition: DefinitionView
    text: str | None


class CheckedText(ResponseModel):
    """What is wrong with a text that nobody has saved yet, and what it would say."""

    definition: DefinitionView


class VersionView(ResponseModel):
    """One saved state; the list leaves the text out."""

    version: int
    sha256: str
    author: str | None
    message: str | None
    created_at: float
    path: str | None
    content: str | None = None


class Versions(Read):
    """The history, newest first."""

    versions: list[VersionView]


class OneVersion(Read):
    """One saved state with its text."""

    version: VersionView


class Draft(RequestModel):
    """A text to look at."""

    text: str


class NewText(RequestModel):
    """A text to save."""

    text: str
    message: str | None = Field(default=None, max_length=2000)


class RollbackRequest(RequestModel):
    """Which version becomes the newest."""

    version: int = Field(ge=1, le=2**31)
