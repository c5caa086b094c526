"""The usage of a message, branch or session: tokens, and cost in millionths of a dollar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import MAX_COUNT


class Usage(NamedTuple):
    """Token counts; cost is None when the price is unknown."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_microusd: int | None = None

    @classmethod
    def of(cls, value: object) -> Usage:
        """Parse the `usage` of a message's metadata; zero when absent."""
        if not value:
            return NOTHING
        if not isinstance(value, Mapping):
            raise InvalidInput(f"usage must be an object with token counts, not {value!r:.60}")
        return cls(*(_count(name, value.get(name)) for name in cls._fields))  # type: ignore[arg-type]

    @property
    def tokens(self) -> int:
        """All tokens, those from and to the cache included."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens

    def plus(self, other: Usage) -> Usage:
        """The sum; an unknown cost counts as zero."""
        costs = [cost for cost in (self.cost_microusd, other.cost_microusd) if cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            sum(costs) if costs else None,
        )


NOTHING = Usage()
TOKEN_COLUMNS = Usage._fields[:4]


class UsageSum(NamedTuple):
    """Tokens and money of many messages: the cost of those with a known price, and the tokens without one."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_microusd: int = 0
    unpriced_tokens: int = 0

    @property
    def tokens(self) -> int:
        return sum(self[:4])

    @property
    def known_cost(self) -> int | None:
        """The cost; None when no price is known."""
        return None if self.unpriced_tokens and self.unpriced_tokens >= self.tokens else self.cost_microusd

    def plus(self, other: UsageSum) -> UsageSum:
        return UsageSum(*(one + more for one, more in zip(self, other, strict=True)))

    def to_dict(self) -> dict[str, int | None]:
        """As every command and route returns it."""
        return {
            "input": self.input_tokens,
            "output": self.output_tokens,
            "cache_read": self.cache_read_tokens,
            "cache_write": self.cache_write_tokens,
            "total": self.tokens,
            "cost_microusd": self.known_cost,
            "unpriced_tokens": self.unpriced_tokens,
        }


def _count(name: str, value: object) -> int | None:
    if value is None:
        return None if name == "cost_microusd" else 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
        raise InvalidInput(f"usage.{name} must be an integer from 0 to 10^12, not {value!r:.60}")
    return value
