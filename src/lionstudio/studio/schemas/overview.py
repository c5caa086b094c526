"""The first page: cards, numbers, what waits for a person, and what was found."""

from __future__ import annotations

from pydantic import Field

from lionstudio.model.status.vocabulary import Tone
from lionstudio.studio.schemas.runs import RunView
from lionstudio.studio.schemas.shared import ActionField, Read, ResponseModel
from lionstudio.studio.schemas.shows import ShowListed


class Cards(ResponseModel):
    """The cards of ADR-0017 and ADR-0019; `GET /api/runs?card=…` lists what each counts."""

    running: int
    failed_24h: int
    slow: int
    stale: int
    needs_review: int
    teams_active: int


class Hour(ResponseModel):
    """What began in one hour and came to one outcome."""

    at: float
    status: str
    label: str
    tone: str = Field(json_schema_extra={"enum": [*Tone]})
    runs: int
    tokens: int
    cost_microusd: int | None


class Dashboard(Read):
    """The cards, and what happened last."""

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
    """What a person can do about it: a request to this server, or words for a terminal."""

    label: str
    method: str | None
    path: str | None
    body: dict[str, str | float | bool | list[str]] | None
    command: str
    what: str | None = Field(description="what comes of it")
    danger: bool
    fields: list[ActionField] = Field(description="what a person adds to the body")


class Waiting(ResponseModel):
    """One thing that waits for a person."""

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
    """Everything that waits for a person, the worst first."""

    items: list[Waiting]


class HitView(ResponseModel):
    """A message that matches."""

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
    """What was found."""

    hits: list[HitView]
