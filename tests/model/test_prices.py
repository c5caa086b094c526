"""Prices: the listed ones equal the maintained table, tiers and caches are counted, unknown stays unknown."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lionstudio.model.prices import PRICES, cost_of, find_in_table, price_of
from lionstudio.model.usage import Usage

MILLION = 1_000_000


@pytest.mark.parametrize("model", PRICES)
def test_listed_price_equals_the_maintained_table(model: str) -> None:
    assert PRICES[model] == find_in_table(model)


def test_cost_of_counts_each_kind_of_token() -> None:
    usage = Usage(100_000, 10_000, 50_000, 20_000)
    dollars = 100_000 * 5 + 10_000 * 25 + 50_000 * 0.5 + 15_000 * 6.25 + 5_000 * 10

    assert cost_of("claude-opus-4-8[1m]", usage, written_for_an_hour=5_000) == round(dollars)


def test_cost_of_long_prompt_uses_its_tier() -> None:
    assert cost_of("claude-sonnet-4-5", Usage(200_000, 1_000)) == 200_000 * 3 + 1_000 * 15
    assert cost_of("claude-sonnet-4-5", Usage(150_000, 1_000, 50_001)) == round(150_000 * 6 + 22_500 + 50_001 * 0.6)


@pytest.mark.parametrize(
    ("model", "provider", "dollars"),
    [
        ("claude-sonnet-4-5-20250929", "anthropic", 3.0),
        ("claude-3-5-haiku-latest", "claude", 0.8),
        ("gemini-2.5-flash", "google", 0.3),
        ("gpt-4o", "openai", 2.5),
        ("gpt-4o", "azure", 2.5),
        ("anthropic/claude-haiku-4-5", None, 1.0),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "bedrock", 1.1),
    ],
)
def test_price_of_models_of_other_vendors(model: str, provider: str | None, dollars: float) -> None:
    price = price_of(model, provider)

    assert price is not None
    assert price.rates.input == round(dollars * MILLION)


@pytest.mark.parametrize(
    ("model", "provider", "url"),
    [
        (None, None, None),
        ("", None, None),
        ("llama3", None, None),
        ("script", None, None),
        ("fable-1", "anthropic", None),
        ("gpt-5", "my-gateway", None),
        ("gpt-5", None, "http://127.0.0.1:8080/v1"),
        ("llama3", "ollama", None),
    ],
)
def test_unknown_price_is_none(model: str | None, provider: str | None, url: str | None) -> None:
    assert price_of(model, provider, url) is None
    assert cost_of(model, Usage(1, 1), provider=provider, url=url) is None


def test_listed_price_does_not_load_the_table() -> None:
    code = (
        "import sys; from lionstudio.model.prices import price_of; "
        "assert price_of('gpt-5'); assert 'genai_prices' not in sys.modules; "
        "assert price_of('gpt-4o'); assert 'genai_prices' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
