"""Facts about imported messages that are not kept in memory: usage, system prompts, the latest time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.messages import TYPE_IDS, System
from lionstudio.model.usage import NOTHING, Usage
from lionstudio.state.connection import Row

_SYSTEM = TYPE_IDS[System.TAG]


class ImportStats:
    def __init__(self) -> None:
        self.usage: dict[str, Usage] = {}
        self.system_ids: set[str] = set()
        self.last_at: float | None = None

    def observe(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows, and collect their facts on the way into the database."""
        for row in rows:
            id_, at, metadata, lion_class = row[0], row[1], row[2], row[9]
            if metadata is not None and '"usage"' in metadata:
                self.usage[id_] = _usage_in(metadata)
            if lion_class == _SYSTEM:
                self.system_ids.add(id_)
            if self.last_at is None or at > self.last_at:
                self.last_at = at
            yield row

    def total(self, ids: Iterable[str]) -> Usage:
        usage = NOTHING
        for id_ in self.usage.keys() & set(ids):
            usage = usage.plus(self.usage[id_])
        return usage

    def last_system_prompt(self, ids: Sequence[str]) -> str | None:
        return next((id_ for id_ in reversed(ids) if id_ in self.system_ids), None)


def _usage_in(metadata: str) -> Usage:
    facts = load_or_keep(metadata)
    usage = facts.get("usage") if isinstance(facts, dict) else None
    try:
        return Usage.of(usage) if isinstance(usage, dict) else NOTHING
    except InvalidInput:  # another tool wrote it; the message is kept, its numbers are not counted
        return NOTHING
