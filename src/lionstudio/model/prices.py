"""List prices of tokens, in millionths of a dollar per million tokens, as published on the date below.

Only certain prices are listed. An unlisted model, a faster service tier, or a prompt long enough for another price has
no cost: NULL is better than a wrong number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from lionstudio.model.usage import Usage

CHECKED = "2026-11-15"
_DOLLAR = 1_000_000
_MILLION = 1_000_000


class Price(NamedTuple):
    """Micro-dollars per million tokens; `longest` is the prompt length up to which the price applies."""

    input: int
    output: int
    cache_read: int
    cache_write: int
    cache_write_1h: int
    longest: int | None = None


def _claude(input_: float, output: float, longest: int | None = None) -> Price:
    # a cache read costs a tenth of the input, a write 1.25 times (5 minutes) or twice (an hour) as much
    rates = (input_, output, input_ / 10, input_ * 1.25, input_ * 2)
    return Price._make((*(round(rate * _DOLLAR) for rate in rates), longest))


def _openai(input_: float, cached: float, output: float) -> Price:
    rates = (input_, output, cached, input_, input_)
    return Price._make((*(round(rate * _DOLLAR) for rate in rates), None))


# By model name without its date.
PRICES: Mapping[str, Price] = {
    "claude-opus-5": _claude(5, 25),
    "claude-opus-4-8": _claude(5, 25),
    "claude-opus-4-7": _claude(5, 25),
    "claude-opus-4-6": _claude(5, 25),
    "claude-opus-4-5": _claude(5, 25),
    "claude-opus-4-1": _claude(15, 75),
    "claude-opus-4": _claude(15, 75),
    "claude-3-opus": _claude(15, 75),
    "claude-sonnet-4-6": _claude(3, 15, 200_000),
    "claude-sonnet-4-5": _claude(3, 15, 200_000),
    "claude-sonnet-4": _claude(3, 15, 200_000),
    "claude-3-7-sonnet": _claude(3, 15),
    "claude-3-5-sonnet": _claude(3, 15),
    "claude-haiku-4-5": _claude(1, 5),
    "claude-3-5-haiku": _claude(0.8, 4),
    "gpt-5": _openai(1.25, 0.125, 10),
    "gpt-5-codex": _openai(1.25, 0.125, 10),
    "gpt-5.1": _openai(1.25, 0.125, 10),
    "gpt-5.1-codex": _openai(1.25, 0.125, 10),
    "gpt-5.1-codex-max": _openai(1.25, 0.125, 10),
    "gpt-5-mini": _openai(0.25, 0.025, 2),
    "gpt-5-nano": _openai(0.05, 0.005, 0.4),
    "gpt-5.2": _openai(1.75, 0.175, 14),
    "gpt-5.2-codex": _openai(1.75, 0.175, 14),
    "gpt-5.3-codex": _openai(1.75, 0.175, 14),
}
_DATED = re.compile(r"-(20[0-9]{6}|20[0-9]{2}-[0-9]{2}-[0-9]{2}|latest)$")


def price_of(model: str | None) -> Price | None:
    """The price of a model by its name, with or without a date; None when unknown."""
    if not model:
        return None
    return PRICES.get(_DATED.sub("", model.removesuffix("[1m]")))


def cost_of(model: str | None, usage: Usage, *, written_for_an_hour: int = 0) -> int | None:
    """Micro-dollars; None when the price is unknown. `input_tokens` must not include cached tokens."""
    price = price_of(model)
    if price is None:
        return None
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    if price.longest is not None and prompt > price.longest:
        return None
    hour = min(written_for_an_hour, usage.cache_write_tokens)
    total = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_read_tokens * price.cache_read
        + (usage.cache_write_tokens - hour) * price.cache_write
        + hour * price.cache_write_1h
    )
    return (total + _MILLION // 2) // _MILLION
