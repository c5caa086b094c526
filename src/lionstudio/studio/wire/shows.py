"""Shows and plays (ADR-0011)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from lionstudio.studio.wire.shared import Answer, Read, StateShape


class Play(Answer):
    """A play; one that is only on disk has less."""

    name: str
    meta: dict[str, Any]
    verdict: dict[str, Any] | None
    updated_at: float | None
    session_id: str | None = None
    session_name: str | None = None
    depends_on: list[str] = Field(default_factory=list)
    state: StateShape | None = None
    blocked_by: list[str] = Field(default_factory=list)
    error: str | None = None


class ShowListed(Answer):
    """A show in a list."""

    topic: str
    path: str
    goal: str | None
    status: str
    status_source: str
    updated_at: float | None
    plays_by_status: dict[str, int]
    state: StateShape | None = None
    error: str | None = None


class Shows(Read):
    """Every show, the one that changed last first."""

    shows: list[ShowListed]


class Show(Read):
    """A show with its plays."""

    topic: str
    path: str
    show_md: str | None
    goal: str | None
    status: str
    status_source: str
    plays: list[Play]
    critical_path: list[str] = Field(default_factory=list)
    blocked: dict[str, list[str]] = Field(default_factory=dict)
    state: StateShape | None = None


class PlayDetail(Read):
    """A play with what its folder says."""

    topic: str
    play: Play
    intent: str | None
    raw_meta: dict[str, Any] | None
    raw_verdict: dict[str, Any] | None
    errors: list[str]
