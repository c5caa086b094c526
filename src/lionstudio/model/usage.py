"""The usage of a message, branch or session: tokens, and cost in millionths of a dollar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lionstudio.errors import InvalidInput

_LIMIT = 2**53  # a browser rounds larger JSON numbers


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


def _count(name: str, value: object) -> int | None:
    if value is None:
        return None if name == "cost_microusd" else 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LIMIT:
        raise InvalidInput(f"usage.{name} must be an integer from 0 to 2^53, not {value!r:.60}")
    return value
