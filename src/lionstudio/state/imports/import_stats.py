"""What an import must know of messages that it does not keep in memory: usage, system prompts, the latest time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.messages import TYPE_IDS, System
from lionstudio.model.usage import NOTHING, Usage
from lionstudio.state.connection import Row

_SYSTEM = TYPE_IDS[System.TAG]


class ImportStats:
    """What is worth knowing of the messages that came by, without keeping them."""

    def __init__(self) -> None:
        self.usage: dict[str, Usage] = {}
        self.systems: set[str] = set()
        self.last_at: float | None = None

    def watch(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows, noted on their way into the database."""
        for row in rows:
            id_, at, metadata, lion_class = row[0], row[1], row[2], row[9]
            if metadata is not None and '"usage"' in metadata:
                self.usage[id_] = _usage_in(metadata)
            if lion_class == _SYSTEM:
                self.systems.add(id_)
            if self.last_at is None or at > self.last_at:
                self.last_at = at
            yield row

    def total(self, ids: Iterable[str]) -> Usage:
        """What these messages have used."""
        found = NOTHING
        for id_ in self.usage.keys() & set(ids):
            found = found.plus(self.usage[id_])
        return found

    def system_in(self, ids: Sequence[str]) -> str | None:
        """The last system prompt among these messages."""
        return next((id_ for id_ in reversed(ids) if id_ in self.systems), None)


def _usage_in(metadata: str) -> Usage:
    given = load_or_keep(metadata)
    used = given.get("usage") if isinstance(given, dict) else None
    try:
        return Usage.of(used) if isinstance(used, dict) else NOTHING
    except InvalidInput:  # another tool wrote it; the message is kept, its numbers are not counted
        return NOTHING
