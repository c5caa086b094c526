"""Branch: a progression with an id and an agent's configuration; a fork points to its parent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

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
