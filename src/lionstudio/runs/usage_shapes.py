"""Token counts as SDKs report them, in our one definition: input tokens exclude cache reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import MAX_COUNT
from lionstudio.model.usage import Usage

# The first name that is present counts; a dot leads into a nested object.
_INPUT = (
    "input_tokens",  # Anthropic, OpenAI Responses, LangChain, pydantic-ai
    "prompt_tokens",  # OpenAI Chat, LiteLLM, Mistral, DeepSeek, OpenRouter
    "inputTokens",  # Bedrock, Vercel AI SDK
    "promptTokenCount",  # Gemini
    "prompt_token_count",
    "prompt_eval_count",  # Ollama
    "tokens.input_tokens",  # Cohere
    "billed_units.input_tokens",
)
_OUTPUT = (
    "output_tokens",
    "completion_tokens",
    "outputTokens",
    "candidatesTokenCount",
    "candidates_token_count",
    "eval_count",
    "tokens.output_tokens",
    "billed_units.output_tokens",
)
# Gemini counts these beside the others.
_MORE_INPUT = ("toolUsePromptTokenCount", "tool_use_prompt_token_count")
_MORE_OUTPUT = ("thoughtsTokenCount", "thoughts_token_count")
# Cached tokens that are part of the input count, and those beside it.
_READ_INSIDE = (
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "input_token_details.cache_read",
    "cachedContentTokenCount",
    "cached_content_token_count",
    "cached_input_tokens",
    "cachedInputTokens",
    "prompt_cache_hit_tokens",
)
_READ_BESIDE = ("cache_read_input_tokens", "cacheReadInputTokens", "cache_read_tokens")
_WRITTEN_INSIDE = (
    "prompt_tokens_details.cache_write_tokens",
    "prompt_tokens_details.cache_creation_tokens",
    "input_tokens_details.cache_write_tokens",
    "input_token_details.cache_creation",
    "cache_write_input_tokens",
)
_WRITTEN_BESIDE = (
    "cache_creation_input_tokens",
    "cacheCreationInputTokens",
    "cacheWriteInputTokens",
    "cache_write_tokens",
)
# LiteLLM and pydantic-ai report Anthropic's names, but count those tokens as input.
_ALL_INSIDE = ("prompt_tokens", "input_audio_tokens", "requests")
_ONE_HOUR = ("cache_creation.ephemeral_1h_input_tokens",)
_WRAPPERS = ("usage", "usage_metadata", "usageMetadata")
_DOLLARS = ("cost", "cost_usd", "total_cost_usd")


class ParsedUsage(NamedTuple):
    """A usage, and the part of its cache writes that is kept for an hour, which costs more."""

    usage: Usage
    written_for_an_hour: int = 0


def is_plain(value: object) -> bool:
    """True if these are our own names, which are stored as they are."""
    return isinstance(value, Mapping) and value.keys() <= set(Usage._fields)


def parse_usage(value: object) -> ParsedUsage | None:
    """The usage in a response or its usage object, of any SDK; None when it has no token counts that we know."""
    fields = _fields(value)
    for name in _WRAPPERS:  # a whole response
        if fields.get(name) is not None and not is_plain(fields):
            fields = _fields(fields[name])
            break
    if not any(_has(fields, name) for name in (*_INPUT, *_OUTPUT)):
        return None
    all_inside = any(name in fields for name in _ALL_INSIDE)
    read_inside, read_beside = _count(fields, _READ_INSIDE), _count(fields, _READ_BESIDE)
    written_inside, written_beside = _count(fields, _WRITTEN_INSIDE), _count(fields, _WRITTEN_BESIDE)
    inside = max(read_inside, read_beside if all_inside else 0) + max(
        written_inside, written_beside if all_inside else 0
    )
    input_ = max(0, _count(fields, _INPUT) - inside) + _count(fields, _MORE_INPUT)
    output = _count(fields, _OUTPUT) + _count(fields, _MORE_OUTPUT)
    read, written = max(read_inside, read_beside), max(written_inside, written_beside)
    usage = Usage(input_, output, read, written, _cost(fields))
    return ParsedUsage(usage, min(written, _count(fields, _ONE_HOUR)))


def _fields(value: object) -> Mapping[str, Any]:
    """The fields of a dict, a pydantic model, a dataclass, a named tuple or any object."""
    if isinstance(value, Mapping):
        return value
    for method in ("model_dump", "to_dict", "_asdict"):
        if callable(dump := getattr(value, method, None)):
            dumped = dump()
            return dumped if isinstance(dumped, Mapping) else {}
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return {name: item for name, item in getattr(value, "__dict__", {}).items() if not name.startswith("_")}


def _get(fields: Mapping[str, Any], name: str) -> Any:
    outer, dot, inner = name.partition(".")
    return _fields(fields.get(outer)).get(inner) if dot else fields.get(name)


def _has(fields: Mapping[str, Any], name: str) -> bool:
    return _get(fields, name) is not None


def _count(fields: Mapping[str, Any], names: tuple[str, ...]) -> int:
    for name in names:
        value = _get(fields, name)
        if value is None:
            continue
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
            raise InvalidInput(f"usage.{name} must be an integer from 0 to 10^12, not {value!r:.60}")
        return value
    return 0


def _cost(fields: Mapping[str, Any]) -> int | None:
    cost = fields.get("cost_microusd")
    if isinstance(cost, int) and not isinstance(cost, bool) and 0 <= cost <= MAX_COUNT:
        return cost
    dollars = next((fields[name] for name in _DOLLARS if isinstance(fields.get(name), (int, float))), None)
    return None if dollars is None or not 0 <= dollars <= MAX_COUNT / 1e6 else round(dollars * 1_000_000)
