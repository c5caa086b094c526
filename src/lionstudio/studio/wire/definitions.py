"""Agents, playbooks, skills, plugins, and the history of what people edit."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.studio.wire.shared import Answer, Given, Read


class Kind(StrEnum):
    """What has a history."""

    AGENT = "agent"
    PLAYBOOK = "playbook"


class Definition(Answer):
    """One file, or one item that cannot be used; then `error` says why."""

    kind: str
    name: str
    origin: str
    path: str
    description: str | None
    error: str | None
    problems: list[dict[str, Any]]
    etag: str | None = None


class Definitions(Read):
    """Every definition of a kind, and where was looked for them."""

    items: list[Definition]
    places: list[str]


class DefinitionDetail(Read):
    """One definition with its text."""

    definition: Definition
    text: str | None


class Version(Answer):
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

    versions: list[Version]


class OneVersion(Read):
    """One saved state with its text."""

    version: Version


class NewText(Given):
    """A text to save."""

    text: str
    message: str | None = Field(default=None, max_length=2000)


class Back(Given):
    """Which version becomes the newest."""

    version: int = Field(ge=1, le=2**31)
