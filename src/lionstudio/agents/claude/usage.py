"""What Claude Code tells about tokens: with every record of an API message, at its end, and in sum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.agents.fields import text_of
from lionstudio.agents.usage_tally import grown, priced
from lionstudio.model.coerce import Record, dict_of, to_microusd, to_token_count
from lionstudio.model.usage import NOTHING, Usage

KEYS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_SUM_KEYS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
FAST = "fast"  # a service with another price


class Counts:
    """What each API message has been counted for: its records repeat the usage, and only its end is complete."""

    def __init__(self) -> None:
        self._counted: dict[str, Usage] = {}
        self._begun: dict[str, Record] = {}

    def begin(self, message: Record) -> None:
        """An API message begins to stream."""
        self._begun = {text_of(message.get("id")): message}

    def of_record(self, message: Record) -> Usage:
        """What a record of an API message adds."""
        return self._more(text_of(message.get("id")), message, dict_of(message.get("usage")))

    def of_end(self, message_id: str, usage: Record) -> Usage:
        """What the end of an API message adds; it names only what changed."""
        message = self._begun.get(message_id, {})
        told = {name: value for name, value in usage.items() if value is not None}
        return self._more(message_id, message, {**dict_of(message.get("usage")), **told})

    def of_agent(self, noted: Record) -> Usage:
        """What the last API message of a sub-agent used; the program prints no record of it."""
        usage, model = dict_of(noted.get("usage")), text_of(noted.get("resolvedModel"))
        return _priced(_tokens(usage, KEYS), model, usage)

    def _more(self, message_id: str, message: Record, usage: Mapping[str, Any]) -> Usage:
        now, before = _tokens(usage, KEYS), self._counted.get(message_id, NOTHING)
        added = grown(before, now)
        if added == NOTHING:
            return NOTHING
        self._counted[message_id] = before.plus(added)
        return _priced(added, text_of(message.get("model")), usage)


def total_of(result: Record) -> Usage:
    """What a whole run has used, sub-agents and side tasks included, and what the program says it costs."""
    models = [dict_of(usage) for usage in dict_of(result.get("modelUsage")).values()]
    sums = [_tokens(usage, _SUM_KEYS) for usage in models] or [_tokens(dict_of(result.get("usage")), KEYS)]
    total = NOTHING
    for usage in sums:
        total = total.plus(usage)
    return total._replace(cost_microusd=to_microusd(result.get("total_cost_usd")))


def _tokens(usage: Record, keys: tuple[str, ...]) -> Usage:
    return Usage(*(to_token_count(usage.get(key)) for key in keys))


def _priced(usage: Usage, model: str, told: Record) -> Usage:
    if told.get("speed") == FAST:
        return usage
    return priced(usage, model, written_for_an_hour=written_for_an_hour(told))


def written_for_an_hour(usage: Record) -> int:
    """Tokens that went into the cache for an hour, which costs more."""
    return to_token_count(dict_of(usage.get("cache_creation")).get("ephemeral_1h_input_tokens"))
