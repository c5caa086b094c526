"""Usage: tokens, money and time."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, ResponseModel


class UsageView(ResponseModel):
    """Tokens and money; the same numbers and names everywhere."""

    input: int = Field(description="tokens sent, without those of the cache")
    output: int
    cache_read: int = Field(description="tokens read from the cache")
    cache_write: int = Field(description="tokens written to the cache")
    total: int = Field(description="the sum of these four")
    cost_microusd: int | None = Field(description="of the tokens with a known price; null when there are none")
    unpriced_tokens: int = Field(description="tokens whose price is unknown; they are not in the cost")


class AgentUsageView(UsageView):
    """The usage of a show or a play: all attempts of its agents and reviewers."""

    seconds: float = Field(description="the duration of its runs, added up")
    sessions: int = Field(description="the number of its runs")
    unpriced: int = Field(description="runs without a known price")


class UsageSince(ResponseModel):
    """The usage since a moment."""

    since: float
    usage: UsageView
    runs: int = Field(description="runs that used tokens")


class UsageSums(Read):
    """The usage since each moment of the request, in its order."""

    sums: list[UsageSince]


class UsageTime(StrEnum):
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    BLOCK = "block"


class UsageName(StrEnum):
    MODEL = "model"
    PROJECT = "project"
    AGENT = "agent"
    SHOW = "show"
    RUN = "run"


class UsageMeasure(StrEnum):
    USAGE = "usage"
    TIME = "time"
    WAITING = "waiting"


class UsagePart(ResponseModel):
    """The part of one model, project, agent, show or run."""

    name: str | None = Field(description='"" for runs without one; null for all others together')
    usage: UsageView | None = Field(description="null when the measure is a time")
    seconds: float | None = Field(description="null when the measure is usage")
    runs: int


class UsageBucket(ResponseModel):
    """An hour, day, week or block."""

    at: float
    until: float
    label: str
    usage: UsageView | None
    seconds: float | None
    parts: list[UsagePart] = Field(description="without those that are zero")


class UsageRun(ResponseModel):
    """A run with its usage in the range."""

    id: str
    name: str
    project: str | None
    usage: UsageView


class UsageBudget(ResponseModel):
    """The setting `usage_budget_usd` and the cost of the current month."""

    month: str
    limit_microusd: int
    spent: UsageView


class UsageReport(Read):
    """Sums over a range."""

    since: float
    until: float
    timezone: str
    by: str
    stack: str | None
    measure: UsageMeasure
    total: UsagePart
    parts: list[UsagePart] = Field(description="the largest first, the rest as one")
    buckets: list[UsageBucket]
    top_runs: list[UsageRun]
    budget: UsageBudget | None = Field(description="null without the setting")
