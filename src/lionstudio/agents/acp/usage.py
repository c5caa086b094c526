"""Tokens and cost as agents report them at the end of a turn."""

from __future__ import annotations

from lionstudio.agents.records import text_or_empty
from lionstudio.agents.usage_tally import priced
from lionstudio.model.coerce import Record, dict_of, list_of, to_token_count
from lionstudio.model.usage import Usage


def usage_of_turn(result: Record) -> Usage:
    """The tokens of a turn; Gemini CLI reports them in `_meta` only."""
    report = dict_of(result.get("usage")) or dict_of(_quota(result).get("token_count"))
    input_, output, read, written, thought, total = (
        to_token_count(next((report[name] for name in names if report.get(name) is not None), 0))
        for names in (
            ("inputTokens", "input_tokens"),
            ("outputTokens", "output_tokens"),
            ("cachedReadTokens",),
            ("cachedWriteTokens",),
            ("thoughtTokens",),
            ("totalTokens",),
        )
    )
    # the total tells whether an agent counts cached tokens as input, and thoughts as output
    rest = total - input_ - output if total else 0
    if total and rest < read + written:
        input_ = max(0, input_ - read - written)
    elif thought and rest >= read + written + thought:
        output += thought
    return Usage(input_, output, read, written)


def models_of_turn(result: Record) -> list[str]:
    """The models that a turn used."""
    entries = map(dict_of, list_of(_quota(result).get("model_usage")))
    return [name for entry in entries if (name := text_or_empty(entry.get("model")))]


def with_cost(usage: Usage, reported: int | None, model: str | None) -> Usage:
    """The usage with the cost that the agent reports, or with the list price of its model."""
    if reported is not None:
        return usage._replace(cost_microusd=reported)
    return priced(usage, model and model.rpartition("/")[2].partition("[")[0])


def cost_of_update(update: Record) -> int | None:
    """The cost of the conversation so far, in millionths of a dollar."""
    cost = dict_of(update.get("cost"))
    amount = cost.get("amount")
    if cost.get("currency") != "USD" or not isinstance(amount, (int, float)) or not 0 <= amount < 1e9:
        return None
    return round(amount * 1_000_000)


def _quota(result: Record) -> Record:
    return dict_of(dict_of(result.get("_meta")).get("quota"))
