"""Facts about imported messages that are not kept in memory: usage, system prompts, the latest time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import dict_of
from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.messages import TYPE_IDS, System
from lionstudio.model.usage import NOTHING, Usage
from lionstudio.state.connection import Row
from lionstudio.state.usage.ledger import SpentPart

_SYSTEM = TYPE_IDS[System.TAG]


class ImportStats:
    def __init__(self) -> None:
        self.spent: dict[str, SpentPart] = {}
        self.system_ids: set[str] = set()
        self.last_at: float | None = None

    def observe(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows, and collect their facts on the way into the database."""
        for row in rows:
            id_, at, metadata, lion_class = row[0], row[1], row[2], row[9]
            if metadata is not None and '"usage"' in metadata:
                self.spent[id_] = _spent_in(metadata, at)
            if lion_class == _SYSTEM:
                self.system_ids.add(id_)
            if self.last_at is None or at > self.last_at:
                self.last_at = at
            yield row

    def total(self, ids: Iterable[str]) -> Usage:
        usage = NOTHING
        for spent in self.spent_on(ids):
            usage = usage.plus(spent.usage)
        return usage

    def spent_on(self, ids: Iterable[str]) -> list[SpentPart]:
        return [self.spent[id_] for id_ in self.spent.keys() & set(ids)]

    def last_system_prompt(self, ids: Sequence[str]) -> str | None:
        return next((id_ for id_ in reversed(ids) if id_ in self.system_ids), None)


def _spent_in(metadata: str, at: float) -> SpentPart:
    facts = dict_of(load_or_keep(metadata))
    try:
        return SpentPart(at, facts.get("model"), Usage.of(dict_of(facts.get("usage"))))
    except InvalidInput:  # another tool wrote it; the message is kept, its numbers are not counted
        return SpentPart(at, None, NOTHING)
