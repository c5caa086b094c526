"""Shows and plays (ADR-0011)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.model.status.vocabulary import StatusGroup, Tone
from lionstudio.studio.schemas.launches import LaunchView
from lionstudio.studio.schemas.shared import ActionField, Read, RequestModel, ResponseModel, StateView


class PlayMeta(ResponseModel):
    """What `_meta.json` or the row says; a play that is only on disk has what its file has."""

    worktree: str | None = None
    branch: str | None = None
    attempt: int | None = None
    started_at: float | str | None = None
    ended_at: float | str | None = None
    exit_code: int | None = None
    merged_at: float | str | None = None
    merge_sha: str | None = None
    status: str | None = None
    playbook: str | None = None
    effort: str | None = None


class VerdictView(ResponseModel):
    """What the gate said."""

    gate_passed: bool | None = None
    feedback: str | None = None


class BadgeView(ResponseModel):
    """One badge of the State cell."""

    kind: str = Field(description="lifecycle, gate or integration")
    label: str
    tone: str


class ActionView(ResponseModel):
    """Something that a person may order: what it does now, and which fields of the order it takes."""

    action: str
    label: str
    what: str
    danger: bool
    fields: list[ActionField]


class PlayView(ResponseModel):
    """A play; one that is only on disk has less."""

    name: str
    meta: PlayMeta
    verdict: VerdictView | None
    updated_at: float | None
    session_id: str | None = None
    session_name: str | None = None
    depends_on: list[str]
    state: StateView | None = None
    badges: list[BadgeView]
    blocked_by: list[str]
    duration_ms: float | None
    actions: list[str] = Field(description="what a person may say about it now")
    deeds: list[ActionView] = Field(description="the same, each with what it does now and what has to be given")
    error: str | None = None


class PlayGroup(ResponseModel):
    """The plays of a show in one group: a segment of its progress bar."""

    group: str = Field(json_schema_extra={"enum": [*StatusGroup]})
    label: str
    tone: str = Field(json_schema_extra={"enum": [*Tone]})
    plays: int


class ShowListed(ResponseModel):
    """A show in a list."""

    topic: str
    path: str
    goal: str | None
    status: str
    status_source: str
    updated_at: float | None
    plays_by_status: dict[str, int]
    plays_by_group: list[PlayGroup]
    plays_total: int
    plays_merged: int
    running_plays: list[str]
    state: StateView | None = None
    error: str | None = None


class Shows(Read):
    """Every show, the one that changed last first."""

    shows: list[ShowListed]


class Edge(ResponseModel):
    """The target waits for the source."""

    source: str
    target: str


class ShowView(Read):
    """A show with its plays."""

    topic: str
    path: str
    show_md: str | None
    goal: str | None
    status: str
    status_source: str
    plays: list[PlayView]
    plays_by_group: list[PlayGroup]
    plays_total: int
    plays_merged: int
    running_plays: list[str]
    edges: list[Edge]
    critical_path: list[str]
    blocked: dict[str, list[str]]
    actions: list[str]
    deeds: list[ActionView]
    state: StateView | None = None
    repo: str | None = None
    base_branch: str | None = None
    integration_branch: str | None = None
    updated_at: float | None = None
    final_verdict: dict[str, Any] | None = None
    directed: bool = Field(default=False, description="whether a director works on it now")
    error: str | None = Field(description="why nothing of its folder is told")


class PlayDetail(Read):
    """A play with what its folder says."""

    topic: str
    play: PlayView
    intent: str | None
    prompt: str | None
    raw_meta: dict[str, Any] | None
    raw_verdict: dict[str, Any] | None
    errors: list[str]


class Attempt(ResponseModel):
    """One try of a play: what it noted about itself, what the gate said, and the run it was."""

    attempt: int
    current: bool
    session_id: str | None
    meta: dict[str, Any] | None
    verdict: dict[str, Any] | None


class Attempts(Read):
    """Every try of a play, the first one first."""

    topic: str
    play: str
    attempts: list[Attempt]
    errors: list[str]


class ChangedFileView(ResponseModel):
    """A file that a play changed; no numbers for a binary one."""

    path: str
    old_path: str | None
    additions: int | None
    deletions: int | None


class DiffView(Read):
    """What a play changed, as a patch; `whole` is false when it was cut."""

    topic: str
    play: str
    base: str | None
    head: str | None
    files: list[ChangedFileView]
    patch: str
    whole: bool
    why: str | None = Field(description="why there is nothing to show")


class Action(StrEnum):
    """What a person may order."""

    RUN = "run"
    APPROVE = "approve"
    REJECT = "reject"
    REDO = "redo"
    ESCALATE = "escalate"
    ABORT = "abort"
    RESUME = "resume"


class DecisionRequest(RequestModel):
    """A person's word about a show, or about one of its plays."""

    action: Action
    play: str | None = Field(default=None, max_length=200)
    feedback: str | None = Field(default=None, max_length=100_000)
    tokens: int | None = Field(default=None, ge=1, lt=10**15, description="so many more than the plan says")
    cost: float | None = Field(default=None, ge=0.01, le=1_000_000, description="so many dollars more")
    time: str | None = Field(default=None, pattern=r"^[0-9]{1,7}[smhd]?$", description="so much more: 90s, 30m, 2h, 1d")

    def granted(self) -> dict[str, int | float | str]:
        """What an approval grants beyond the plan."""
        given = {"tokens": self.tokens, "cost": self.cost, "time": self.time}
        return {name: value for name, value in given.items() if value is not None}


class DecisionAccepted(ResponseModel):
    """`li show …` as it was started; `launch.exit_code` is null while it goes on."""

    launch: LaunchView
    output: str
