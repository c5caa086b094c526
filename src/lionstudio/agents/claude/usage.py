"""Claude Code's token counts: in every record of an API message, at its end, and as a sum for the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.agents.records import text_or_empty
from lionstudio.agents.transcript import drop_oldest
from lionstudio.agents.usage_tally import priced
from lionstudio.model.coerce import Record, dict_of, text_or_none, to_microusd, to_token_count
from lionstudio.model.prices import cost_of
from lionstudio.model.usage import NOTHING, Usage

_KEYS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_SUM_KEYS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
_FAST = "fast"  # a service tier with other prices
_MAX_MESSAGES = 8  # in the state of a transcript


class _Counted:
    """The tokens counted for each API message: its records repeat the usage, and only the last one is complete."""

    def __init__(self, state: Mapping[str, list[int]]) -> None:
        self.by_message = {key: list(value) for key, value in state.items()}

    def added(self, message_id: str, usage: Record) -> list[int]:
        """The four token counts and the one-hour cache tokens that this report adds."""
        now = [to_token_count(usage.get(key)) for key in _KEYS]
        now.append(_one_hour_tokens(usage))
        before = self.by_message.get(message_id)
        if before is None:
            added = now
        elif now == before:
            return [0] * len(now)
        else:
            added = [max(0, new - old) for new, old in zip(now, before, strict=True)]
            now = [old + new for old, new in zip(before, added, strict=True)]
        if any(added):
            self.by_message[message_id] = now
        return added


class StreamUsage:
    """The usage that each record of the live stream adds."""

    def __init__(self) -> None:
        self._counted = _Counted({})
        self._started: dict[str, Record] = {}

    def start(self, message: Record) -> None:
        """Note an API message that starts to stream."""
        self._started = {text_or_empty(message.get("id")): message}

    def of_record(self, message: Record) -> Usage:
        return self._added(text_or_empty(message.get("id")), message, dict_of(message.get("usage")))

    def of_end(self, message_id: str, usage: Record) -> Usage:
        """The end of an API message reports only the counts that changed."""
        message = self._started.get(message_id, {})
        changed = {name: value for name, value in usage.items() if value is not None}
        return self._added(message_id, message, {**dict_of(message.get("usage")), **changed})

    def of_subagent(self, notes: Record) -> Usage:
        """The last API message of a sub-agent, which has no record of its own."""
        usage = dict_of(notes.get("usage"))
        return _priced(_tokens(usage, _KEYS), text_or_empty(notes.get("resolvedModel")), usage)

    def _added(self, message_id: str, message: Record, usage: Mapping[str, Any]) -> Usage:
        added = Usage(*self._counted.added(message_id, usage)[:4])
        return added if added == NOTHING else _priced(added, text_or_empty(message.get("model")), usage)


class TranscriptUsage:
    """The usage that each record of a transcript adds."""

    def __init__(self, state: Mapping[str, list[int]]) -> None:
        self._counted = _Counted(state)

    def to_state(self) -> dict[str, list[int]]:
        return self._counted.by_message

    def added(self, answer: Record, record: Record) -> dict[str, int | None] | None:
        """The usage of this record as metadata; None when it adds nothing."""
        usage = answer.get("usage")
        if not isinstance(usage, dict):
            return None
        key = str(answer.get("id") or record.get("requestId") or record.get("uuid"))
        is_first = key not in self._counted.by_message
        added = self._counted.added(key, usage)
        if not any(added):
            return None
        drop_oldest(self._counted.by_message, _MAX_MESSAGES)
        tokens = Usage(*added[:4])
        cost = to_microusd(record.get("costUSD")) if is_first else None
        if cost is None and usage.get("speed") != _FAST:
            cost = cost_of(text_or_none(answer.get("model")), tokens, written_for_an_hour=added[4])
        return tokens._replace(cost_microusd=cost)._asdict()


def total_usage(result: Record) -> Usage:
    """The usage of a whole run, sub-agents and side tasks included, with Claude Code's own price."""
    models = [dict_of(usage) for usage in dict_of(result.get("modelUsage")).values()]
    sums = [_tokens(usage, _SUM_KEYS) for usage in models] or [_tokens(dict_of(result.get("usage")), _KEYS)]
    total = NOTHING
    for usage in sums:
        total = total.plus(usage)
    return total._replace(cost_microusd=to_microusd(result.get("total_cost_usd")))


def _tokens(usage: Record, keys: tuple[str, ...]) -> Usage:
    return Usage(*(to_token_count(usage.get(key)) for key in keys))


def _priced(usage: Usage, model: str, report: Record) -> Usage:
    if report.get("speed") == _FAST:
        return usage
    return priced(usage, model, written_for_an_hour=_one_hour_tokens(report))


def _one_hour_tokens(usage: Record) -> int:
    """Tokens that were written to the cache for an hour, which costs more."""
    created = usage.get("cache_creation")
    return to_token_count(created.get("ephemeral_1h_input_tokens")) if isinstance(created, dict) else 0
