"""The report of an import: every item is counted, and listed with its outcome up to a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from lionstudio.state.connection import Connection

T = TypeVar("T")
MAX_LISTED = 10_000  # an import of a million sessions must not keep a line for each

Watch = Callable[[int, int], None]  # progress: done, total


class ItemOutcome(StrEnum):
    IMPORTED = "imported"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"


class ImportItem(NamedTuple):
    """One run, branch, session, show …; `reason` explains why it was skipped or what is unusual about it."""

    kind: str
    name: str
    outcome: ItemOutcome
    reason: str | None = None
    messages: int = 0
    session_id: str | None = None


class ImportTarget(Protocol):
    """The part of a database that an import uses."""

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a function that only reads."""

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in one transaction."""


class Report:
    """Filled during the import, so that an interrupted one can report too."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, ItemOutcome]] = Counter()
        self.items: list[ImportItem] = []
        self.unlisted = 0
        self.messages = 0
        self.left_out: list[str] = []
        self.files_left_out: list[str] = []  # entries of a home that are not imported

    def count_unchanged(self, kind: str, number: int) -> None:
        """Count items that have nothing new."""
        if number:
            self.counts[kind, ItemOutcome.UNCHANGED] += number

    def add(self, item: ImportItem) -> None:
        """Add an item; an unchanged one is counted and not listed."""
        self.counts[item.kind, item.outcome] += 1
        self.messages += item.messages
        if item.outcome is ItemOutcome.UNCHANGED:
            return
        if len(self.items) < MAX_LISTED:
            self.items.append(item)
        else:
            self.unlisted += 1

    def skip(self, kind: str, name: str, reason: str) -> None:
        self.add(ImportItem(kind, name, ItemOutcome.SKIPPED, reason))

    def total(self, outcome: ItemOutcome) -> int:
        """The number of items of any kind with this outcome."""
        return sum(count for (_, item_outcome), count in self.counts.items() if item_outcome is outcome)

    @property
    def nothing_readable(self) -> bool:
        """True if there were items to import and all of them were skipped."""
        skipped = self.total(ItemOutcome.SKIPPED)
        return skipped > 0 and skipped == self.counts.total()

    def to_dict(self) -> dict[str, Any]:
        """As JSON: totals, counts by kind, and every listed item."""
        kinds = sorted({kind for kind, _ in self.counts})
        return {
            **{str(outcome): self.total(outcome) for outcome in ItemOutcome},
            "messages": self.messages,
            "kinds": {kind: {str(outcome): self.counts[kind, outcome] for outcome in ItemOutcome} for kind in kinds},
            "items": [item._asdict() for item in self.items],
            "items_not_listed": self.unlisted,
            "tables_left_out": self.left_out,
            "files_left_out": self.files_left_out,
        }
