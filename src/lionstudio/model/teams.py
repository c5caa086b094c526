"""Teams: agents that send each other messages by member name (ADR-0019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from lionstudio.model.entity import Element, revive_enums
from lionstudio.model.message_text import first_line
from lionstudio.model.status.statuses import TeamStatus

# ADR-0019: a message longer than this gets a one-line summary for the collapsed view.
SUMMARY_FROM = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Team(Element):
    """A named group of members."""

    TAG: ClassVar[str] = "lionstudio.Team"
    name: str
    members: tuple[str, ...] = ()
    status: TeamStatus = TeamStatus.ACTIVE
    updated_at: float | None = None

    @classmethod
    def revive(cls, values: dict[str, Any]) -> dict[str, Any]:
        values = revive_enums(values, {"status": TeamStatus})
        values.pop("member_count", None)  # the length of members, not stored twice
        return {**values, "members": tuple(values.get("members") or ())}


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamMessage(Element):
    """A message from one member to another, or to all."""

    TAG: ClassVar[str] = "lionstudio.TeamMessage"
    team_id: str
    sender: str
    content: str
    recipient: str = "all"
    summary: str | None = None
    read_by: tuple[str, ...] = ()
    session_id: str | None = None

    @classmethod
    def revive(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {**values, "read_by": tuple(values.get("read_by") or ())}


def summarize(content: str) -> str | None:
    """One line for the collapsed view of a long message; None for a short one."""
    return first_line(content, SUMMARY_FROM) if len(content) > SUMMARY_FROM else None
