"""The dashboard, statistics, attention items and search hits."""

from __future__ import annotations

from pydantic import Field

from lionstudio.model.status.vocabulary import Tone
from lionstudio.studio.schemas.runs import RunView
from lionstudio.studio.schemas.shared import ActionField, Read, ResponseModel
from lionstudio.studio.schemas.shows import ShowListed


class Cards(ResponseModel):
    """The cards of ADR-0017 and ADR-0019; `GET /api/runs?card=…` lists the runs of a card."""

    running: int
    failed_24h: int
    slow: int
    stale: int
    needs_review: int
    teams_active: int


class Hour(ResponseModel):
    """The runs that started in one hour and have one status."""

    at: float
    status: str
    label: str
    tone: Tone
    runs: int
    tokens: int
    cost_microusd: int | None


class Dashboard(Read):
    """The cards, and recent activity."""

    cards: Cards
    hours: list[Hour]
    recent: list[RunView]
    shows: list[ShowListed]


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


class WaitingAction(ResponseModel):
    """An action on an item: a request to this server, or a terminal command."""

    label: str
    method: str | None
    path: str | None
    body: dict[str, str | float | bool | list[str]] | None
    command: str
    what: str | None = Field(description="the effect")
    danger: bool
    fields: list[ActionField] = Field(description="fields that a person adds to the body")


class Waiting(ResponseModel):
    """An item that needs a person."""

    kind: str
    actions: list[WaitingAction]
    code: str
    title: str
    severity: str
    evidence: str | None
    since: float | None
    session_id: str | None = None
    topic: str | None = None
    play: str | None = None


class Attention(Read):
    """Every item that needs a person, most severe first."""

    items: list[Waiting]


class HitView(ResponseModel):
    """A matching message."""

    message_id: str
    session_id: str | None
    session_name: str | None
    project: str | None
    ord: int | None
    created_at: float
    role: str | None
    snippet: str
    score: float | None = None


class Hits(Read):
    """Search results."""

    hits: list[HitView]
