"""The dashboard, statistics and attention items."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lionstudio.model.status.vocabulary import Tone
from lionstudio.studio.schemas.runs import RunView
from lionstudio.studio.schemas.shared import ActionField, Read, RequestModel, ResponseModel
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


class Dashboard(Read):
    """The cards, and recent activity."""

    cards: Cards
    hours: list[Hour]
    recent: list[RunView]
    shows: list[ShowListed]
    has_workers: bool = Field(description="whether the page of workers is of use: on a hub, or when one exists")


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
    held: list[str] = Field(description="the changes that are held back and that it decides about")


class Waiting(ResponseModel):
    """An item that needs a person."""

    id: str = Field(description="kind:entity:reason")
    state: str = Field(description="a dismissed or snoozed item is listed again when this changes")
    dismissed: bool
    snoozed_until: float | None = Field(description="hidden until then")
    kind: Literal["question", "run", "play", "show", "refused"]
    rank: int = Field(ge=1, le=4, description="1 waits for an answer, 2 escalated, 3 stuck, dead or refused, 4 failed")
    cluster: str = Field(description="items with the same key have the same reason")
    question: str | None = Field(description="the open question that it stands for")
    count: int = Field(description="the number of questions or refusals that it stands for")
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
    """Every item that needs a person, by rank: questions that wait longest first, then the newest trouble."""

    items: list[Waiting]


class Dismissal(Read):
    """Whether an item is dismissed now, and until when it is snoozed."""

    id: str
    dismissed: bool
    snoozed_until: float | None


class Snooze(RequestModel):
    """The time for which an item is hidden."""

    seconds: float = Field(gt=0, le=31 * 86400, allow_inf_nan=False)
