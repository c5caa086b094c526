"""The first page: cards, numbers, what waits for a person, and what was found."""

from __future__ import annotations

from typing import Any

from lionstudio.studio.wire.runs import Run
from lionstudio.studio.wire.shared import Answer, Read


class Dashboard(Read):
    """The cards of ADR-0017 and ADR-0019, and what happened last."""

    cards: dict[str, int]
    hours: list[dict[str, Any]]
    recent: list[Run]
    shows: list[dict[str, Any]]


class Stats(Read):
    """Sessions from the database, definitions from the folders (ADR-0004)."""

    sessions: dict[str, int]
    total_sessions: int
    shows: int
    teams: int
    agents: int
    playbooks: int
    plugins: int
    skills: int


class Waiting(Answer):
    """One thing that waits for a person."""

    kind: str
    code: str
    title: str
    severity: str
    evidence: str | None
    since: float | None
    session_id: str | None = None
    topic: str | None = None
    play: str | None = None


class Attention(Read):
    """Everything that waits for a person, the worst first."""

    items: list[Waiting]


class Hit(Answer):
    """A message that matches."""

    message_id: str
    session_id: str | None
    session_name: str | None
    project: str | None
    ord: int | None
    created_at: float
    role: str | None
    snippet: str


class Hits(Read):
    """What was found."""

    hits: list[Hit]
