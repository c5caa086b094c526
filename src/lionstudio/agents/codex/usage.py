"""Codex's tokens: one report per response in newer versions, running sums in all; never both counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.agents.codex.rollout import tokens_of
from lionstudio.agents.transcript import trim
from lionstudio.model.prices import cost_of
from lionstudio.model.usage import Usage

_MOST_RESPONSES = 8


class Tokens:
    """What has been counted of a rollout."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._sums: list[int] | None = state.get("sums")
        self._responses: dict[str, int] = dict(state.get("responses", {}))

    def to_state(self) -> dict[str, Any]:
        """For the next piece of the file."""
        return {"sums": self._sums, "responses": self._responses}

    def of_response(self, payload: Mapping[str, Any]) -> list[int] | None:
        """The tokens of one response, once."""
        response = str(payload.get("response_id") or payload.get("turn_id"))
        if response in self._responses:
            return None
        self._responses[response] = 1
        trim(self._responses, _MOST_RESPONSES)
        return _numbers(payload.get("usage"))

    def of_sums(self, info: Mapping[str, Any], *, inherited: bool) -> list[int] | None:
        """How much the running sums grew; sums that a fork inherited only set where it begins."""
        if "total_token_usage" not in info:
            return None
        now, last = _numbers(info.get("total_token_usage")), _numbers(info.get("last_token_usage"))
        before, self._sums = self._sums, now
        if self._responses or inherited:
            return None
        if before is None:
            return now
        grown = [new - old for new, old in zip(now, before, strict=True)]
        # sums that fell were started anew
        return last if min(grown) < 0 else grown

    @staticmethod
    def add(sums: list[int | None] | None, used: list[int], model: str | None) -> list[int | None]:
        """The sums with one more response, priced by the model that gave it."""
        usage = Usage(*used)
        usage = usage._replace(cost_microusd=cost_of(model, usage) if any(used) else None)
        before = Usage() if sums is None else Usage(*sums)  # type: ignore[arg-type]
        return list(before.plus(usage))


def _numbers(given: object) -> list[int]:
    """Input without the cache, output, read from the cache, written to it."""
    usage = tokens_of(given)
    return [usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens]
