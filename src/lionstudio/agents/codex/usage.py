"""Codex's token counts: a report for each response in newer versions, running sums in all; never counted twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.agents.transcript import drop_oldest
from lionstudio.model.coerce import dict_of, to_token_count
from lionstudio.model.prices import cost_of
from lionstudio.model.usage import Usage

_MAX_RESPONSES = 8


class TokenCounter:
    """The tokens of a rollout that were counted so far."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._sums: list[int] | None = state.get("sums")
        self._responses: dict[str, int] = dict(state.get("responses", {}))

    def to_state(self) -> dict[str, Any]:
        return {"sums": self._sums, "responses": self._responses}

    def of_response(self, payload: Mapping[str, Any]) -> list[int] | None:
        """The tokens of one response; None when they were counted before."""
        response = str(payload.get("response_id") or payload.get("turn_id"))
        if response in self._responses:
            return None
        self._responses[response] = 1
        drop_oldest(self._responses, _MAX_RESPONSES)
        return _counts(payload.get("usage"))

    def of_sums(self, info: Mapping[str, Any], *, inherited: bool) -> list[int] | None:
        """The growth of the running sums; sums that a fork inherited are only its baseline."""
        if "total_token_usage" not in info:
            return None
        now, last = _counts(info.get("total_token_usage")), _counts(info.get("last_token_usage"))
        before, self._sums = self._sums, now
        if self._responses or inherited:
            return None
        if before is None:
            return now
        growth = [new - old for new, old in zip(now, before, strict=True)]
        # sums that fell were reset
        return last if min(growth) < 0 else growth


def add_tokens(sums: list[int | None] | None, tokens: list[int], model: str | None) -> list[int | None]:
    """The sums plus one response, at the price of the model that gave it."""
    usage = Usage(*tokens)
    usage = usage._replace(cost_microusd=cost_of(model, usage) if any(tokens) else None)
    before = Usage() if sums is None else Usage(*sums)  # type: ignore[arg-type]
    return list(before.plus(usage))


def parse_tokens(value: object) -> Usage:
    """Codex counts tokens read from and written to the cache as input; they are separate here."""
    usage = dict_of(value)
    read = to_token_count(usage.get("cached_input_tokens"))
    written = to_token_count(usage.get("cache_write_input_tokens"))
    uncached = max(0, to_token_count(usage.get("input_tokens")) - read - written)
    return Usage(uncached, to_token_count(usage.get("output_tokens")), read, written)


def _counts(value: object) -> list[int]:
    return list(parse_tokens(value)[:4])
