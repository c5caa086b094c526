"""What an import did with each item, and why it left one out; counted always, listed up to a bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from lionstudio.state.connection import Connection

T = TypeVar("T")
MOST_LISTED = 10_000  # an import of a million sessions must not keep a line for each

Watch = Callable[[int, int], None]  # how much is done, of how much


class ItemOutcome(StrEnum):
    """What became of an item."""

    IMPORTED = "imported"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"


class ImportItem(NamedTuple):
    """One run, branch, session, show …; `reason` says why it was skipped or what is odd about it."""

    kind: str
    name: str
    outcome: ItemOutcome
    reason: str | None = None
    messages: int = 0
    session_id: str | None = None


class ImportTarget(Protocol):
    """What an import needs of the database."""

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a function that only reads."""

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in one transaction."""


class Report:
    """Filled while an import goes on, so that an interrupted one can still say what it did."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, ItemOutcome]] = Counter()
        self.items: list[ImportItem] = []
        self.unlisted = 0
        self.messages = 0
        self.left_out: list[str] = []

    def add(self, item: ImportItem) -> None:
        """Note an item; what did not change is counted and not listed."""
        self.counts[item.kind, item.outcome] += 1
        self.messages += item.messages
        if item.outcome is ItemOutcome.UNCHANGED:
            return
        if len(self.items) < MOST_LISTED:
            self.items.append(item)
        else:
            self.unlisted += 1

    def skip(self, kind: str, name: str, reason: str) -> None:
        """Note an item that could not be taken."""
        self.add(ImportItem(kind, name, ItemOutcome.SKIPPED, reason))

    def total(self, outcome: ItemOutcome) -> int:
        """How many items of any kind had an outcome."""
        return sum(count for (_, found), count in self.counts.items() if found is outcome)

    @property
    def nothing_readable(self) -> bool:
        """There was something to import, and none of it could be read."""
        skipped = self.total(ItemOutcome.SKIPPED)
        return skipped > 0 and skipped == self.counts.total()

    def to_dict(self) -> dict[str, Any]:
        """As JSON: totals, counts by kind, and every item that was imported, updated or skipped."""
        kinds = sorted({kind for kind, _ in self.counts})
        return {
            **{str(outcome): self.total(outcome) for outcome in ItemOutcome},
            "messages": self.messages,
            "kinds": {kind: {str(outcome): self.counts[kind, outcome] for outcome in ItemOutcome} for kind in kinds},
            "items": [item._asdict() for item in self.items],
            "items_not_listed": self.unlisted,
            "tables_left_out": self.left_out,
        }
