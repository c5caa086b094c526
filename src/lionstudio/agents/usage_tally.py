"""The usage of a run that is already on its messages, so that nothing is counted twice or lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from lionstudio.model.messages import Message
from lionstudio.model.prices import cost_of
from lionstudio.model.usage import NOTHING, Usage

M = TypeVar("M", bound=Message)


class UsageTally:
    def __init__(self) -> None:
        self.counted = NOTHING

    def note(self, message: M, usage: Usage) -> M:
        """The message with this usage added to its metadata."""
        if usage == NOTHING:
            return message
        self.counted = self.counted.plus(usage)
        sums = message.usage.plus(usage)._asdict()
        if sums["cost_microusd"] is None:
            del sums["cost_microusd"]
        return replace(message, metadata={**message.metadata, "usage": sums})

    def missing(self, total: Usage) -> Usage:
        """The part of a total that is not on a message yet; never negative."""
        cost = total.cost_microusd
        missing_cost = None if cost is None else max(0, cost - (self.counted.cost_microusd or 0))
        return grown(self.counted, total)._replace(cost_microusd=missing_cost or None)


def grown(before: Usage, now: Usage) -> Usage:
    """The growth of the token counts, without cost."""
    return Usage(*(max(0, new - old) for new, old in zip(now[:4], before[:4], strict=True)))


def priced(
    usage: Usage,
    model: str | None,
    *,
    written_for_an_hour: int = 0,
    provider: str | None = None,
    url: str | None = None,
) -> Usage:
    """The usage with its cost, if the price of the model is known."""
    if not any(usage[:4]):
        return usage
    cost = cost_of(model, usage, written_for_an_hour=written_for_an_hour, provider=provider, url=url)
    return usage._replace(cost_microusd=cost)
