"""Shows and plays (ADR-0011)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from lionstudio.model.status.vocabulary import StatusGroup, Tone
from lionstudio.studio.schemas.launches import LaunchView
from lionstudio.studio.schemas.shared import ActionField, Read, RequestModel, ResponseModel, StateView, TransitionView
from lionstudio.studio.schemas.usage import AgentUsageView


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

    kind: str = Field(description="lifecycle, gate, integration or person")
    label: str
    tone: str


class ShownSubject(ResponseModel):
    """The subject of a decision; the request repeats it, and is refused when it has changed."""

    attempt: int | None = Field(default=None, description="of the play")
    head: str | None = Field(default=None, description="the commit with the work of the play")
    plan: str | None = Field(default=None, description="SHA-256 of the edited plan that is held back")
    commits: list[str] = Field(default=[], description="commits of others on the integration branch")


class ActionView(ResponseModel):
    """An action that a person may take now: its effect and its fields."""

    action: str
    label: str
    what: str
    danger: bool
    fields: list[ActionField]
    held: list[str] = Field(description="the changes that are held back and that it decides about")
    subject: ShownSubject


class HeldBackView(ResponseModel):
    """Changes of a show that wait for a person."""

    plan: str | None = Field(description="SHA-256 of the edited plan")
    commits: list[str] = Field(description="commits of others on the integration branch")
    lines: list[str] = Field(description="each change in words")


class LeftOutView(ResponseModel):
    """A file of a play that is in no commit."""

    path: str
    why: str = Field(description="filter, submodule or ignored")
    detail: str | None = Field(default=None, description="name of the filter")


class WaitView(ResponseModel):
    """One thing that a show waits for."""

    play: str | None = Field(description="null: the show itself")
    kind: str = Field(description="the kind of the question, or the status of a play without one")
    title: str


class BudgetPartView(ResponseModel):
    """A part of the budget that has a limit."""

    part: str = Field(description="tokens, cost_microusd or seconds")
    spent: float = Field(description="what the director counts: all tokens, known costs, time of agents")
    limit: float


class PlayWorkerView(ResponseModel):
    """The worker of the newest order of a play or of the director, or the reason why that waits for one."""

    work: str = Field(description="show, attempt, gates, merge or final_gates")
    worker_id: str | None
    name: str | None
    fence: int
    since: float | None = Field(description="when the worker took it")
    is_open: bool = Field(description="false: the worker of the last attempt, which has ended")
    wait: str | None = Field(description="why no worker has it yet")
    wait_short: str | None = Field(description="the same in a few words")
    needs_person: bool = Field(description="no worker takes it unless a person starts, upgrades or undrains one")


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
    left_out: list[LeftOutView] = Field(default=[], description="its files that are in no commit")
    left_out_dir: str | None = Field(default=None, description="the folder that has them after the merge")
    checkout_kept: str | None = Field(default=None, description="why its checkout was not removed")
    usage: AgentUsageView | None = Field(default=None, description="of all its attempts")
    confinement: str | None = Field(default=None, description="whether its agent was confined, or why not")
    conflict: list[str] = Field(default=[], description="files that conflict with the integration branch")
    changed_files: int | None = Field(default=None, description="files that its collected work changes")
    worker: PlayWorkerView | None = Field(default=None, description="null for a show on one machine")
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
    waits_for: list[WaitView] = Field(default=[], description="what needs a person")
    usage: AgentUsageView | None = None
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
    usage: AgentUsageView | None = None
    final_verdict: dict[str, Any] | None = None
    held_back: HeldBackView | None = Field(default=None, description="what a decision about the show is about")
    plan_error: str | None = Field(default=None, description="why the director ignores an edit of the plan")
    waits_for: list[WaitView] = Field(default=[], description="what needs a person")
    budget: list[BudgetPartView] = Field(default=[], description="the limited parts, with what was granted")
    started_at: float | None = Field(default=None, description="start of the first play")
    ended_at: float | None = None
    commit: str | None = Field(default=None, description="the last merge on the integration branch")
    directed: bool = Field(default=False, description="whether its director is running")
    director: PlayWorkerView | None = Field(default=None, description="its worker; null for a show on one machine")
    by_workers: bool = Field(default=False, description="whether workers play it: then its rows are read, no folder")
    machines: list[str] = Field(default=[], description="workers that direct it or have one of its plays now")
    error: str | None = Field(description="why its folder was not read")
    transitions: list[TransitionView] = Field(default=[], description="the status history, oldest first")


class PlayDetail(Read):
    """A play with the files of its folder."""

    topic: str
    play: PlayView
    intent: str | None
    prompt: str | None
    raw_meta: dict[str, Any] | None
    raw_verdict: dict[str, Any] | None
    errors: list[str]
    transitions: list[TransitionView] = Field(default=[], description="the status history, oldest first")


class Attempt(ResponseModel):
    """One attempt of a play: its metadata, its verdict and its run."""

    attempt: int
    current: bool
    session_id: str | None
    meta: dict[str, Any] | None
    verdict: dict[str, Any] | None
    confinement: str | None = Field(description="whether its agent was confined, or why not")
    gate_confinement: list[str] = Field(description="the same of its gates, each sentence once")


class Attempts(Read):
    """Every attempt of a play, in order."""

    topic: str
    play: str
    attempts: list[Attempt]
    errors: list[str]


class PhaseView(ResponseModel):
    """A part of an attempt: its agent, its gates, or a wait for a person."""

    kind: Literal["agent", "gate", "wait"]
    start: float = Field(alias="from")
    end: float | None = Field(alias="to", description="null: it goes on")


class AttemptBar(ResponseModel):
    """One attempt in the timeline."""

    attempt: int
    session_id: str | None
    host: str | None = Field(description="the machine that ran its agent")
    status: str | None = Field(description="of its run")
    failed: bool
    phases: list[PhaseView]


class PlayBars(ResponseModel):
    """The attempts of a play in the timeline."""

    name: str
    attempts: list[AttemptBar]


class ShowTimeline(Read):
    """The attempts of every play that has begun."""

    topic: str
    plays: list[PlayBars]


class DecisionView(ResponseModel):
    """An entry of the decision log."""

    at: float | None
    kind: Literal["decision", "asked", "abort", "refused", "plan", "repair", "answer"]
    actor: str | None
    sentence: str
    play: str | None
    attempt: int | None
    detail: str | None = Field(description="the feedback or reason")
    via: Literal["page", "terminal"] | None
    origin: str | None = Field(description="where it was made, in words")
    session_id: str | None = Field(description="the run of the attempt")
    overrides: bool = Field(description="it merges work whose gates failed")


class Decisions(Read):
    """Decisions, questions and plan edits of a show, newest first."""

    topic: str
    decisions: list[DecisionView]


class PlayChanges(ResponseModel):
    """The sum of a play's changes."""

    files: int
    additions: int
    deletions: int


class ShowChanges(Read):
    """The changes of each play that has commits."""

    topic: str
    plays: dict[str, PlayChanges]


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


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{40,64}$")]


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

    attempt: int | None = Field(default=None, ge=0, lt=10**9, description="the attempt of the play that was shown")
    head: Digest | None = Field(default=None, description="the commit of the play that was shown")
    plan: Digest | None = Field(default=None, description="the digest of the edited plan that was shown")
    commits: list[Digest] | None = Field(default=None, max_length=1000, description="the commits that were shown")

    def shown(self) -> dict[str, int | str | list[str]]:
        """Return the fields of the `subject` that the person saw."""
        subject = {"attempt": self.attempt, "head": self.head, "plan": self.plan, "commits": self.commits}
        return {name: value for name, value in subject.items() if value is not None}

    @property
    def decides_held_back(self) -> bool:
        """Whether it accepts or rejects what the show holds back."""
        return self.play is None and self.action in (Action.APPROVE, Action.REJECT) and not self.granted()

    def granted(self) -> dict[str, int | float | str]:
        """The amounts by which an approval raises the budget."""
        amounts = {"tokens": self.tokens, "cost": self.cost, "time": self.time}
        return {name: value for name, value in amounts.items() if value is not None}


class DecisionAccepted(ResponseModel):
    """The started `li show …`; `launch.exit_code` is null while it runs."""

    launch: LaunchView
    output: str
