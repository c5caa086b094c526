"""What a message, branch or session has used: tokens, and money in millionths of a dollar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lionstudio.errors import InvalidInput

_LIMIT = 2**53  # above this a JSON reader in a browser would round


class Usage(NamedTuple):
    """Sums of tokens; cost is None where the price is not known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_microusd: int | None = None

    @classmethod
    def of(cls, given: object) -> Usage:
        """The usage noted in a message's metadata under `usage`; nothing noted is zero."""
        if not given:
            return NOTHING
        if not isinstance(given, Mapping):
            raise InvalidInput(f"usage must be an object with counts of tokens, not {given!r:.60}")
        return cls(*(_count(name, given.get(name)) for name in cls._fields))  # type: ignore[arg-type]

    def plus(self, other: Usage) -> Usage:
        """The sum; an unknown price adds nothing to a known one."""
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
        raise InvalidInput(f"usage.{name} must be a whole number from 0 to 2^53, not {value!r:.60}")
    return value
