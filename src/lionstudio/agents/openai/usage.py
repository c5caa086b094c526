"""Token counts as OpenAI-compatible servers report them: each has its own names and additions."""

from __future__ import annotations

from lionstudio.agents.usage_tally import priced
from lionstudio.model.coerce import Record, dict_of, to_token_count
from lionstudio.model.usage import Usage

_INPUT = ("prompt_tokens", "input_tokens")
_OUTPUT = ("completion_tokens", "output_tokens")
_READ = ("prompt_cache_hit_tokens", "cache_read_input_tokens")
_WRITTEN = ("cache_creation_input_tokens",)
_DETAILS = ("prompt_tokens_details", "input_tokens_details")


def parse_usage(report: Record, model: str | None) -> Usage:
    """The usage of one answer, with the server's own cost or the list price of the model.

    `prompt_tokens` include the cached tokens; Anthropic's `input_tokens` beside `cache_read_input_tokens` do not.
    """
    details = next((dict_of(report[name]) for name in _DETAILS if report.get(name)), {})
    read = _first(details, ("cached_tokens",)) or _first(report, _READ)
    written = _first(details, ("cache_write_tokens",)) or _first(report, _WRITTEN)
    prompt = _first(report, _INPUT)
    includes_cached = "prompt_tokens" in report or "input_tokens_details" in report
    uncached = max(0, prompt - read - written) if includes_cached else prompt
    usage = Usage(uncached, _first(report, _OUTPUT), read, written)
    cost = report.get("cost")  # OpenRouter, in dollars
    if isinstance(cost, (int, float)) and not isinstance(cost, bool) and 0 <= cost < 1e9:
        return usage._replace(cost_microusd=round(cost * 1_000_000))
    return priced(usage, model)


def _first(record: Record, names: tuple[str, ...]) -> int:
    return next((to_token_count(record[name]) for name in names if record.get(name)), 0)
