"""Progression: an ordered list of message ids. Branch: a progression with an agent's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from lionstudio.model.entity import Element


class ForkPoint(NamedTuple):
    """The fork point of a branch; the child sees the parent's messages 0..ord inclusive."""

    parent_branch_id: str
    ord: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch(Element):
    """A branch; provider, model, system_prompt, tools and effort are in the metadata."""

    TAG: ClassVar[str] = "lionagi.session.branch.Branch"
    session_id: str | None = None
    name: str | None = None
    user: str | None = None
    progression_id: str | None = None
    system_msg_id: str | None = None

    @property
    def fork(self) -> ForkPoint | None:
        """The fork point; None for a branch that is not a fork."""
        parent, ord_ = self.metadata.get("parent_branch_id"), self.metadata.get("forked_at_ord")
        if isinstance(parent, str) and isinstance(ord_, int):
            return ForkPoint(parent, ord_)
        return None


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
