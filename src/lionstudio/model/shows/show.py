"""Show and play: a DAG of agent runs on one repository (ADR-0011)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from lionstudio.model.entity import Element, milliseconds, revive_enums
from lionstudio.model.status.statuses import PlayStatus, ShowStatus

TEAM = "team"  # in the metadata of a show that workers play: its remote, and what travels with it


@dataclass(frozen=True, slots=True, kw_only=True)
class Show(Element):
    """One row per show; its plan is `_show.md` in show_dir."""

    TAG: ClassVar[str] = "lionstudio.Show"
    topic: str
    show_dir: str
    goal: str | None = None
    repo: str | None = None
    base_branch: str | None = None
    integration_branch: str | None = None
    status: ShowStatus = ShowStatus.ACTIVE
    status_source: str | None = None
    updated_at: float | None = None

    @classmethod
    def revive(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Convert the status to its enum."""
        return revive_enums(given, {"status": ShowStatus})

    @property
    def is_for_workers(self) -> bool:
        """Whether workers play it: then its rows are the truth, and a folder is a copy of one machine."""
        return isinstance(self.metadata.get(TEAM), dict)

    @property
    def remote(self) -> str | None:
        """The address from which workers fetch its repository, and where its branches are; None for one machine."""
        team = self.metadata.get(TEAM)
        address = team.get("remote") if isinstance(team, dict) else None
        return address if isinstance(address, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Play(Element):
    """One row per play; session_id links it to the session of its agent."""

    TAG: ClassVar[str] = "lionstudio.Play"
    show_id: str
    name: str
    playbook: str | None = None
    effort: str | None = None
    status: PlayStatus = PlayStatus.PENDING
    attempt: int = 1
    session_id: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    exit_code: int | None = None
    worktree: str | None = None
    branch: str | None = None
    merge_sha: str | None = None
    merged_at: float | None = None
    gate_passed: bool | None = None
    gate_feedback: str | None = None
    depends_on: tuple[str, ...] = ()
    sort_order: int = 0
    updated_at: float | None = None
    fence: int = 0  # raised whenever a worker takes work of it

    @property
    def duration_ms(self) -> float | None:
        """Return the duration of the last attempt, None while it runs."""
        return milliseconds(self.started_at, self.ended_at)

    @property
    def collected_head(self) -> str | None:
        """Return the commit with the work of the current attempt, None before it is collected."""
        meta = self.metadata.get("meta")
        if not isinstance(meta, dict) or meta.get("collected") != self.attempt:
            return None
        head = meta.get("head")
        return head if isinstance(head, str) else None

    @classmethod
    def revive(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Convert the status to its enum, 0/1 to bool, and the dependencies to a tuple of names."""
        given = revive_enums(given, _PLAY_VOCABULARIES)
        passed, needs = given.get("gate_passed"), given.get("depends_on")
        return {
            **given,
            "gate_passed": None if passed is None else bool(passed),
            "depends_on": tuple(str(name) for name in needs) if isinstance(needs, (list, tuple)) else (),
        }


_PLAY_VOCABULARIES: Mapping[str, type[StrEnum]] = {"status": PlayStatus}
