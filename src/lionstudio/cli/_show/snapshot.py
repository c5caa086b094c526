"""A snapshot of a show from its rows: the state and activity of every play, and the usage."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import ceil
from types import MappingProxyType
from typing import Any, NamedTuple

from lionstudio.cli._session.transcript import one_line, text_of_value
from lionstudio.cli._show.load import has_ended, time_of
from lionstudio.cli._toolkit.escape import inline
from lionstudio.files.shows.decision_log import find_open_question
from lionstudio.files.shows.granted_budget import extend_budget, read_grants
from lionstudio.files.shows.plan_reader import parse_plan
from lionstudio.model.messages import ActionRequest, ActionResponse, Message
from lionstudio.model.questions import Question
from lionstudio.model.shows.decisions import BudgetPart, ShowQuestionKind
from lionstudio.model.shows.plan import Budget, GateKind, Plan
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.computed_state import final_rejection
from lionstudio.model.status.statuses import (
    PLAYS,
    PLAYS_IN_PROGRESS,
    PLAYS_WAITING_TO_START,
    PlayStatus,
    ShowStatus,
    row_of,
)
from lionstudio.shows.director.events import Spent
from lionstudio.shows.director.rules import exhausted_budget, needs_person
from lionstudio.shows.director.state import PlayState
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import list_questions_of_agents
from lionstudio.state.messages.windows import messages_before
from lionstudio.state.show_usage import ShowUsage, usage_of_show
from lionstudio.state.shows import get_show, list_plays
from lionstudio.state.workers.show_workers import PlayWorker, show_workers

P = PlayStatus
_BUSY = PLAYS_IN_PROGRESS - PLAYS_WAITING_TO_START
_NEWEST = 2**53
_LONGEST = 200  # characters of an activity
_READ = 2000  # characters of a message that an activity is made of


class MergedWork(NamedTuple):
    """The place of the merged work."""

    repo: str
    branch: str
    remote: str | None  # that has the branch; None: the repository has it


class ShowSnapshot(NamedTuple):
    topic: str
    goal: str
    status: ShowStatus
    plays: list[Play]
    activity: dict[str, str]  # of running plays: the last tool call or message
    depths: dict[str, int]
    needs_person: list[str]  # plays that wait for the user
    usage: ShowUsage
    started: float
    until: float  # now, or the end of the last play
    now: float
    over_budget: BudgetPart | None = None  # the exhausted part of the budget
    final_question: str | None = None  # for the user, after the final gates
    work: MergedWork | None = None
    director_busy: bool = False  # a director works, or has a decision to read
    plan_error: str | None = None  # of an edit that the director refused
    rejection: str | None = None  # of the final gates, which ended the show
    held: tuple[str, ...] = ()  # changes of the plan that are not followed
    foreign: tuple[str, ...] = ()  # commits on the integration branch that the show did not make
    dropped: tuple[str, ...] = ()  # merges that are missing from the integration branch
    questions: tuple[Question, ...] = ()  # of the agents of its plays
    where: str = ""  # options that printed commands need
    merging: frozenset[str] = frozenset()  # plays that passed their gates, and wait for no person
    workers: Mapping[str, PlayWorker] = MappingProxyType({})  # who has, had or waits for each play; "" is the show

    @property
    def waits(self) -> dict[str, PlayWorker]:
        """Plays that no worker has yet, and why; "" is the show."""
        return {name: one for name, one in self.workers.items() if one.wait is not None}

    def wait_of(self, play: str) -> str | None:
        return self.workers[play].wait if play in self.workers else None

    @property
    def merged(self) -> int:
        return sum(play.status is P.MERGED for play in self.plays)

    @property
    def busy(self) -> bool:
        """Whether a play is running or about to start without the user."""
        if has_ended(self.status):
            return False
        working = any(play.status in _BUSY and play.name not in self.needs_person for play in self.plays)
        return working or self.director_busy or (self.is_startable and self.over_budget is None)

    @property
    def is_startable(self) -> bool:
        """Whether a play waits only for concurrency or budget."""
        merged = {play.name for play in self.plays if play.status is P.MERGED}
        due = any(play.status is P.PENDING and merged.issuperset(play.depends_on) for play in self.plays)
        return due or any(row_of(PLAYS, play.status).dependencies_merged for play in self.plays)

    @property
    def waits_for(self) -> list[str]:
        """The plays and questions that need the user."""
        if has_ended(self.status):
            return []
        exhausted = self.over_budget.exhausted if self.over_budget is not None else None
        question = exhausted if self.is_startable else self.final_question
        held = [
            *(["the edited plan"] if self.held else []),
            *(["the integration branch"] if self.foreign or self.dropped else []),
        ]
        return [*self.needs_person, *([question] if question is not None else []), *held]

    @property
    def remaining_seconds(self) -> float | None:
        """An estimate: the mean duration of a play, times the remaining rounds."""
        done = [play.duration_ms for play in self.plays if play.status is P.MERGED and play.duration_ms is not None]
        rest = [play for play in self.plays if play.status is not P.MERGED]
        if not done or not rest:
            return None
        rounds = len({self.depths[play.name] for play in rest})
        running = max(1, sum(play.status is P.RUNNING for play in rest))
        return sum(done) / len(done) / 1000 * max(rounds, ceil(len(rest) / running))


def take_snapshot(conn: Connection, topic: str, now: float) -> ShowSnapshot:
    show = get_show(conn, topic)
    plays = list_plays(conn, show.id)
    activity = {play.name: _activity(conn, play) for play in plays if play.status is P.RUNNING}
    started, until = time_of(show.status, plays, now)
    text, usage = show.metadata.get("plan"), usage_of_show(conn, topic, now)
    plan = _plan(topic, text) if isinstance(text, str) else None
    waiting = _waiting(plan, plays)
    return ShowSnapshot(
        topic,
        show.goal or "",
        show.status,
        plays,
        activity,
        _depths(plays),
        waiting,
        usage,
        started,
        until,
        now,
        _over_budget(show, plan, usage),
        _final_question(show, plan, plays),
        MergedWork(show.repo, show.integration_branch, show.remote) if show.repo and show.integration_branch else None,
        plan_error=str(show.metadata["plan_error"]) if show.metadata.get("plan_error") else None,
        rejection=final_rejection(show.to_dict()),
        held=tuple(map(str, show.metadata.get("held_changes") or ())),
        foreign=tuple(map(str, show.metadata.get("foreign_commits") or ())),
        dropped=tuple(map(str, show.metadata.get("dropped_merges") or ())),
        questions=tuple(list_questions_of_agents(conn, topic)),
        merging=_merging(show, plan, plays, waiting),
        workers=_workers(conn, show),
    )


def _merging(show: Show, plan: Plan | None, plays: list[Play], waiting: list[str]) -> frozenset[str]:
    if plan is None or has_ended(show.status):
        return frozenset()
    return frozenset(play.name for play in plays if play.status is P.GATED and play.name not in waiting)


def _workers(conn: Connection, show: Show) -> dict[str, PlayWorker]:
    if not show.is_for_workers:
        return {}
    director, plays = show_workers(conn, show.topic)
    return {**plays, **({} if director is None else {"": director})}


def _waiting(plan: Plan | None, plays: list[Play]) -> list[str]:
    """Plays that wait for the user by the rules of the plan in the row."""
    states = {play.name: PlayState(status=play.status, approved=bool(_meta(play).get("approved"))) for play in plays}
    return list(needs_person(plan, states)) if plan is not None else []


def _over_budget(show: Show, plan: Plan | None, usage: ShowUsage) -> BudgetPart | None:
    if plan is None or plan.budget == Budget():
        return None
    spent = Spent(tokens=usage.tokens, cost_microusd=usage.cost_microusd, seconds=usage.seconds)
    return exhausted_budget(extend_budget(plan.budget, read_grants(show.show_dir)), spent)


def _final_question(show: Show, plan: Plan | None, plays: list[Play]) -> str | None:
    """The open question of the director about the whole show; read only if there can be one."""
    person = plan is not None and any(gate.kind is GateKind.PERSON for gate in plan.final_gates)
    if not person or any(play.status in _BUSY or row_of(PLAYS, play.status).dependencies_merged for play in plays):
        return None
    question = find_open_question(show.show_dir)
    return question.reason if question is not None and question.kind is ShowQuestionKind.FINAL else None


@lru_cache(maxsize=1)
def _plan(topic: str, text: str) -> Plan | None:
    return parse_plan(topic, text)[0]


def _meta(play: Play) -> dict[str, Any]:
    meta = play.metadata.get("meta")
    return meta if isinstance(meta, dict) else {}


def _activity(conn: Connection, play: Play) -> str:
    session = _meta(play).get("session_id") or play.session_id
    last = messages_before(conn, session, _NEWEST, 1) if isinstance(session, str) else []
    return "starting" if not last or last[0].message is None else _summary(last[0].message)


def _summary(message: Message) -> str:
    content = message.content if isinstance(message.content, dict) else {}
    if isinstance(message, ActionRequest):
        return inline(f"{content.get('function')} {one_line(content.get('arguments'))}".strip())[:_LONGEST]
    if isinstance(message, ActionResponse):  # without the id of its call
        result = text_of_value(content.get("error") or content.get("output"))[:_READ]
        words = (content.get("function") or "", one_line(content.get("arguments")), one_line(result))
        return inline(" ".join(word for word in words if word))[:_LONGEST]
    return inline(" ".join((message.text or "")[:_READ].split()))[:_LONGEST]


def _depths(plays: list[Play]) -> dict[str, int]:
    """The depth of each play in the graph; 0 for plays in a cycle, which a valid plan does not have."""
    needs = {play.name: play.depends_on for play in plays}
    depths: dict[str, int] = {}
    for _ in plays:
        for name, before in needs.items():
            if name not in depths and all(need in depths or need not in needs for need in before):
                depths[name] = 1 + max((depths[need] for need in before if need in depths), default=-1)
    return {name: depths.get(name, 0) for name in needs}
