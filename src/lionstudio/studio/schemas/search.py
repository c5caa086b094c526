"""Search hits, alone or by run, and names that fit a text."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, ResponseModel, StatusLabel


class HitView(ResponseModel):
    """A matching message."""

    message_id: str
    session_id: str | None
    session_name: str | None
    project: str | None
    ord: int | None
    created_at: float
    role: str | None
    tool: str | None = None
    snippet: str
    score: float | None = None


class RunHitsView(ResponseModel):
    """A run and its first matching messages; `session_id` is null for messages without a run."""

    session_id: str | None
    name: str | None
    project: str | None
    agent_name: str | None
    state: StatusLabel | None
    count: int = Field(description="matching messages of the run among the counted ones")
    hits: list[HitView]


class Hits(Read):
    """Search results: a list, or by run with `group=true`."""

    hits: list[HitView]
    runs: list[RunHitsView]
    total: int = Field(description="the counted matches")
    more: bool = Field(description="there are older matches, so the counts are minimums")
    next: int | None = Field(description="`below` of the next page; null on the last one")


class SearchMode(ResponseModel):
    """A mode of the search; `reason` says why it cannot be used, and `hint` what to do."""

    mode: Literal["words", "semantic", "hybrid"]
    reason: str | None
    hint: str | None


class SearchFilters(Read):
    """The values that a search can be narrowed by."""

    modes: list[SearchMode]
    roles: list[str]
    tools: list[str] = Field(description="tools of the newest messages, the most used first")


class NameView(ResponseModel):
    """Something with a name: a run, show, play, team, project, agent or playbook."""

    kind: Literal["run", "show", "play", "team", "project", "agent", "playbook"]
    id: str = Field(description="the id of a run or team, else the name")
    name: str
    about: str | None
    topic: str | None = Field(description="the show of a play")
    state: StatusLabel | None


class NameSection(ResponseModel):
    """The names of one kind, the best first."""

    kind: str
    rank: int = Field(
        description="of the best one: 0 the whole name, 1 its start, 2 its words, 3 a part, 4 another field"
    )
    count: int = Field(description="all that fit, also those that are not listed")
    names: list[NameView]


class Names(Read):
    """Names that fit a text; the section with the best one first. Without a text: the most recent ones."""

    sections: list[NameSection]
