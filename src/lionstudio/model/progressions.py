"""Progression: an ordered list of message ids, the order of a branch or a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from lionstudio.model.entity import Element


@dataclass(frozen=True, slots=True, kw_only=True)
class Progression(Element):
    """Ids in order; the id of a deleted message keeps its position."""

    TAG: ClassVar[str] = "lionagi.protocols.generic.progression.Progression"
    COLUMNS: ClassVar[Mapping[str, str]] = {"metadata": "node_metadata", "order": "collection"}

    order: tuple[str, ...] = ()
    name: str | None = None

    def append(self, message: Element | str) -> Progression:
        """A copy with one more id at the end."""
        return replace(self, order=(*self.order, _id_of(message)))

    def include(self, message: Element | str) -> Progression:
        """Append the id unless the progression has it already."""
        return self if _id_of(message) in self.order else self.append(message)

    @classmethod
    def revive(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {**values, "order": tuple(values.get("order") or ())}


def _id_of(message: Element | str) -> str:
    return message if isinstance(message, str) else message.id
