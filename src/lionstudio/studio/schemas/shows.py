"""Shows and plays (ADR-0011)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from lionstudio.model.status.vocabulary import StatusGroup, Tone
from lionstudio.studio.schemas.launches import LaunchView
from lionstudio.studio.schemas.shared import ActionField, Read, RequestModel, ResponseModel, StateView


class PlayMeta(ResponseModel):
    """The fields of `_meta.json` or of the row."""

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
    """The verdict of the gate."""

    gate_passed: bool | None = None
    feedback: str | None = None


class BadgeView(ResponseModel):
    """One badge of the State cell."""

    kind: str = Field(description="lifecycle, gate or integration")
    label: str
    tone: str


class ActionView(ResponseModel):
    """An action that a person may take now: its effect and its fields."""

    action: str
    label: str
    what: str
    danger: bool
    fields: list[ActionField]


class PlayView(ResponseModel):
    """A play; fewer fields are set for a play that is only on disk."""

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
    actions: list[str] = Field(description="the actions that are allowed now")
    deeds: list[ActionView] = Field(description="the same actions with their effects and fields")
    error: str | None = None


class PlayGroup(ResponseModel):
    """The plays of a show in one group: a segment of its progress bar."""

    group: StatusGroup
    label: str
    tone: Tone
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
    """Every show, most recently changed first."""

    shows: list[ShowListed]


class Edge(ResponseModel):
    """The target depends on the source."""

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
    directed: bool = Field(default=False, description="whether its director is running")
    error: str | None = Field(description="why its folder was not read")


class PlayDetail(Read):
    """A play with the files of its folder."""

    topic: str
    play: PlayView
    intent: str | None
    prompt: str | None
    raw_meta: dict[str, Any] | None
    raw_verdict: dict[str, Any] | None
    errors: list[str]


class Attempt(ResponseModel):
    """One attempt of a play: its metadata, its verdict and its run."""

    attempt: int
    current: bool
    session_id: str | None
    meta: dict[str, Any] | None
    verdict: dict[str, Any] | None


class Attempts(Read):
    """Every attempt of a play, in order."""

    topic: str
    play: str
    attempts: list[Attempt]
    errors: list[str]


class ChangedFileView(ResponseModel):
    """A changed file; a binary file has no line counts."""

    path: str
    old_path: str | None
    additions: int | None
    deletions: int | None


class DiffView(Read):
    """The changes of a play as a patch; `whole` is false when it was truncated."""

    topic: str
    play: str
    base: str | None
    head: str | None
    files: list[ChangedFileView]
    patch: str
    whole: bool
    why: str | None = Field(description="why the patch is missing")


class Action(StrEnum):
    """An action on a show or a play."""

    RUN = "run"
    APPROVE = "approve"
    REJECT = "reject"
    REDO = "redo"
    ESCALATE = "escalate"
    ABORT = "abort"
    RESUME = "resume"


class DecisionRequest(RequestModel):
    """A decision about a play, or an action on the show."""

    action: Action
    play: str | None = Field(default=None, max_length=200)
    feedback: str | None = Field(default=None, max_length=100_000)
    tokens: int | None = Field(default=None, ge=1, lt=10**15, description="raise the token budget by this many")
    cost: float | None = Field(
        default=None, ge=0.01, le=1_000_000, description="raise the cost budget by this many dollars"
    )
    time: str | None = Field(
        default=None, pattern=r"^[0-9]{1,7}[smhd]?$", description="raise the time budget: 90s, 30m, 2h, 1d"
    )

    def granted(self) -> dict[str, int | float | str]:
        """The amounts by which an approval raises the budget."""
        amounts = {"tokens": self.tokens, "cost": self.cost, "time": self.time}
        return {name: value for name, value in amounts.items() if value is not None}


class DecisionAccepted(ResponseModel):
    """The started `li show …`; `launch.exit_code` is null while it runs."""

    launch: LaunchView
    output: str
