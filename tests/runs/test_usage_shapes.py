"""Token counts of every SDK become one definition: input without cached tokens."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from openai.types import CompletionUsage
from openai.types.responses import ResponseUsage
from pydantic import BaseModel

from lionstudio.errors import InvalidInput
from lionstudio.model.usage import Usage
from lionstudio.runs.usage_shapes import ParsedUsage, is_plain, parse_usage

ANTHROPIC = {
    "input_tokens": 100,
    "output_tokens": 20,
    "cache_read_input_tokens": 4000,
    "cache_creation_input_tokens": 300,
    "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200},
}
CHAT = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
RESPONSES = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 0},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 120,
}
SHAPES: dict[str, tuple[Any, Usage]] = {
    "anthropic": (ANTHROPIC, Usage(100, 20, 4000, 300)),
    "anthropic without a cache": ({"input_tokens": 1, "output_tokens": 2, "service_tier": "standard"}, Usage(1, 2)),
    "openai chat": (CHAT, Usage(100, 20)),
    "openai chat, cached": (CHAT | {"prompt_tokens_details": {"cached_tokens": 60}}, Usage(40, 20, 60)),
    "openai responses": (RESPONSES, Usage(40, 20, 60)),
    "openai object": (CompletionUsage.model_validate(CHAT), Usage(100, 20)),
    "openai responses object": (ResponseUsage.model_validate(RESPONSES), Usage(40, 20, 60)),
    "openai response": ({"id": "r", "model": "gpt-5", "usage": RESPONSES}, Usage(40, 20, 60)),
    "gemini": (
        {
            "promptTokenCount": 100,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 7,
            "toolUsePromptTokenCount": 3,
            "cachedContentTokenCount": 60,
        },
        Usage(43, 27, 60),
    ),
    "gemini response": (
        {"usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20}, "candidates": []},
        Usage(100, 20),
    ),
    "gemini sdk": (
        SimpleNamespace(prompt_token_count=100, candidates_token_count=20, cached_content_token_count=None),
        Usage(100, 20),
    ),
    "bedrock": (
        {"inputTokens": 100, "outputTokens": 20, "cacheReadInputTokens": 60, "cacheWriteInputTokens": 5},
        Usage(100, 20, 60, 5),
    ),
    "litellm": (
        {
            **CHAT,
            "prompt_tokens_details": {"cached_tokens": 60},
            "cache_read_input_tokens": 60,
            "cache_creation_input_tokens": 10,
        },
        Usage(30, 20, 60, 10),
    ),
    "langchain": (
        {
            "input_tokens": 100,
            "output_tokens": 20,
            "total_tokens": 120,
            "input_token_details": {"cache_read": 60, "cache_creation": 10},
        },
        Usage(30, 20, 60, 10),
    ),
    "pydantic-ai": (
        {"input_tokens": 100, "output_tokens": 20, "cache_read_tokens": 60, "cache_write_tokens": 0, "requests": 1},
        Usage(40, 20, 60),
    ),
    "vercel": ({"inputTokens": 100, "outputTokens": 20, "cachedInputTokens": 60}, Usage(40, 20, 60)),
    "deepseek": (CHAT | {"prompt_cache_hit_tokens": 60, "prompt_cache_miss_tokens": 40}, Usage(40, 20, 60)),
    "openrouter": (CHAT | {"cost": 0.0125}, Usage(100, 20, 0, 0, 12_500)),
    "ollama": ({"prompt_eval_count": 100, "eval_count": 20}, Usage(100, 20)),
    "cohere": (
        {"billed_units": {"input_tokens": 90.0}, "tokens": {"input_tokens": 100.0, "output_tokens": 20.0}},
        Usage(100, 20),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_parse_usage_knows_the_shape(shape: str) -> None:
    reported, usage = SHAPES[shape]
    parsed = parse_usage(reported)

    assert parsed is not None
    assert parsed.usage == usage


def test_parse_usage_counts_writes_for_an_hour() -> None:
    assert parse_usage(ANTHROPIC) == ParsedUsage(Usage(100, 20, 4000, 300), 200)


@dataclass
class Counts:
    input_tokens: int
    output_tokens: int


class Model(BaseModel):
    usage: Counts


def test_parse_usage_accepts_objects() -> None:
    assert parse_usage(Counts(1, 2)) == ParsedUsage(Usage(1, 2))
    assert parse_usage(Model(usage=Counts(1, 2))) == ParsedUsage(Usage(1, 2))


@pytest.mark.parametrize(
    "value", [{}, {"total_tokens": 5}, {"usage": {}}, 7, "many", [1], object(), None, {"usage": 3}]
)
def test_parse_usage_of_unknown_shape_is_none(value: object) -> None:
    assert parse_usage(value) is None


@pytest.mark.parametrize("count", [-1, True, "7", 1.5, 2**60])
def test_parse_usage_rejects_impossible_counts(count: object) -> None:
    with pytest.raises(InvalidInput, match=r"usage\.prompt_tokens must be an integer"):
        parse_usage({"prompt_tokens": count})


def test_is_plain_accepts_only_our_names() -> None:
    assert is_plain({"input_tokens": 1, "cost_microusd": 5})
    assert not is_plain(ANTHROPIC)
    assert not is_plain(Counts(1, 2))
