"""List prices of tokens: the cost of a usage in micro-dollars, None where the price is not certain.

The models of most runs are listed here, because the maintained table (genai-prices, which needs no network) takes a
tenth of a second to load. A test compares both; every other model is looked up there. A faster service tier or a local
server has no cost: NULL is better than a wrong number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from lionstudio.model.usage import Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

CHECKED = "2026-11-16"
_DOLLAR = 1_000_000
_MILLION = 1_000_000
_MOST_MODELS = 512


class Rates(NamedTuple):
    """Micro-dollars per million tokens."""

    input: int
    output: int
    cache_read: int
    cache_write: int
    cache_write_1h: int


class Price(NamedTuple):
    """The rates of a model; each tier has the rates of prompts that are longer than its number of tokens."""

    rates: Rates
    tiers: tuple[tuple[int, Rates], ...] = ()

    def for_prompt(self, tokens: int) -> Rates:
        """A tier applies to all tokens of its prompt, output included."""
        return next((rates for start, rates in reversed(self.tiers) if tokens > start), self.rates)


def _claude(input_: float, output: float) -> Rates:
    # a cache read costs a tenth of the input, a write 1.25 times (5 minutes) or twice (an hour) as much
    rates = (input_, output, input_ / 10, input_ * 1.25, input_ * 2)
    return Rates._make(round(rate * _DOLLAR) for rate in rates)


def _openai(input_: float, cached: float, output: float) -> Rates:
    return Rates._make(round(rate * _DOLLAR) for rate in (input_, output, cached, input_, input_))


# By model name without its date.
PRICES: Mapping[str, Price] = {
    "claude-opus-5": Price(_claude(5, 25)),
    "claude-opus-4-8": Price(_claude(5, 25)),
    "claude-opus-4-7": Price(_claude(5, 25)),
    "claude-opus-4-6": Price(_claude(5, 25)),
    "claude-opus-4-5": Price(_claude(5, 25)),
    "claude-opus-4-1": Price(_claude(15, 75)),
    "claude-opus-4": Price(_claude(15, 75)),
    "claude-sonnet-4-6": Price(_claude(3, 15)),
    "claude-sonnet-4-5": Price(_claude(3, 15), ((200_000, _claude(6, 22.5)),)),
    "claude-haiku-4-5": Price(_claude(1, 5)),
    "gpt-5": Price(_openai(1.25, 0.125, 10)),
    "gpt-5-codex": Price(_openai(1.25, 0.125, 10)),
    "gpt-5.1": Price(_openai(1.25, 0.125, 10)),
    "gpt-5.1-codex": Price(_openai(1.25, 0.125, 10)),
    "gpt-5.1-codex-max": Price(_openai(1.25, 0.125, 10)),
    "gpt-5-mini": Price(_openai(0.25, 0.025, 2)),
    "gpt-5-nano": Price(_openai(0.05, 0.005, 0.4)),
    "gpt-5.2": Price(_openai(1.75, 0.175, 14)),
    "gpt-5.2-codex": Price(_openai(1.75, 0.175, 14)),
    "gpt-5.3-codex": Price(_openai(1.75, 0.175, 14)),
}
_DATED = re.compile(r"-(20[0-9]{6}|20[0-9]{2}-[0-9]{2}-[0-9]{2}|latest)$")
# our providers and the vendor whose price list they use; None: the vendor follows from the name of the model
_VENDORS: Mapping[str, str | None] = {"claude": "anthropic", "claude_code": "anthropic", "codex": None, "acp": None}
_LISTED_VENDORS = (None, "anthropic", "openai")


@lru_cache(_MOST_MODELS)
def price_of(model: str | None, provider: str | None = None, url: str | None = None) -> Price | None:
    """The price of a model; None when it is unknown.

    `provider` is a vendor's name or one of our providers, `url` the address of a server: the same model may have
    another price there, or none.
    """
    if not model:
        return None
    name = model.removesuffix("[1m]")
    vendor = _VENDORS.get(provider, provider) if provider else None
    if url is None and vendor in _LISTED_VENDORS and (listed := PRICES.get(_DATED.sub("", name))) is not None:
        return listed
    return find_in_table(name, vendor, url)


def find_in_table(model: str, vendor: str | None = None, url: str | None = None) -> Price | None:
    """The price in the maintained table; a model may be written as `vendor/model`."""
    prefix, slash, rest = model.partition("/")
    if slash and vendor is None and url is None and (price := _find(rest, prefix, None)) is not None:
        return price
    return _find(model, vendor, None if vendor else url)


def _find(model: str, vendor: str | None, url: str | None) -> Price | None:
    from datetime import UTC, datetime

    from genai_prices.data_snapshot import get_snapshot

    try:
        _, entry = get_snapshot().find_provider_model(model, None, vendor, url)
    except LookupError:
        return None
    return _to_price(entry.get_prices(datetime.now(UTC)))


def _to_price(table: ModelPrice) -> Price | None:
    names = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")
    values = [getattr(table, name, None) for name in names]
    starts = sorted({tier.start for value in values for tier in getattr(value, "tiers", ())})
    by_start = [(start, _rates([_dollars(value, start) for value in values])) for start in starts]
    rates = _rates([_dollars(value, None) for value in values])
    return None if rates is None else Price(rates, tuple((start, tier) for start, tier in by_start if tier is not None))


def _dollars(value: object, start: int | None) -> float | None:
    """A price per million tokens: the base, or that of the tier from `start` on."""
    tiers = getattr(value, "tiers", None)
    if tiers is None:
        return None if value is None else float(value)  # type: ignore[arg-type]
    reached = [tier.price for tier in tiers if start is not None and tier.start <= start]
    return float(reached[-1] if reached else value.base)  # type: ignore[attr-defined]


def _rates(dollars: list[float | None]) -> Rates | None:
    input_, output, read, write, write_1h = dollars
    if input_ is None or output is None:
        return None
    read = input_ if read is None else read
    write = input_ if write is None else write
    return Rates._make(
        round(rate * _DOLLAR) for rate in (input_, output, read, write, write if write_1h is None else write_1h)
    )


def cost_of(
    model: str | None,
    usage: Usage,
    *,
    written_for_an_hour: int = 0,
    provider: str | None = None,
    url: str | None = None,
) -> int | None:
    """Micro-dollars; None when the price is unknown. `input_tokens` must not include cached tokens."""
    price = price_of(model, provider, url)
    if price is None:
        return None
    rates = price.for_prompt(usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens)
    hour = min(written_for_an_hour, usage.cache_write_tokens)
    total = (
        usage.input_tokens * rates.input
        + usage.output_tokens * rates.output
        + usage.cache_read_tokens * rates.cache_read
        + (usage.cache_write_tokens - hour) * rates.cache_write
        + hour * rates.cache_write_1h
    )
    return (total + _MILLION // 2) // _MILLION
