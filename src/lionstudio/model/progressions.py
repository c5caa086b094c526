"""Progression: an ordered list of message ids, the order of a branch or a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from lionstudio.model.entity import Element


@dataclass(frozen=True, slots=True, kw_only=True)
class Progression(Element):
    """Ids in order; ids that have no message (any more) keep their place."""

    TAG: ClassVar[str] = "lionagi.protocols.generic.progression.Progression"
    COLUMNS: ClassVar[Mapping[str, str]] = {"metadata": "node_metadata", "order": "collection"}

    order: tuple[str, ...] = ()
    name: str | None = None

    def append(self, message_id: str) -> Progression:
        """The progression with one more id at its end."""
        return replace(self, order=(*self.order, message_id))

    @classmethod
    def revive(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Accept the order as a list."""
        return {**given, "order": tuple(given.get("order") or ())}
