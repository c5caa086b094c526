"""A show at one moment, as its rows tell it: where every play stands, what it does now, what it has cost."""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple

from lionstudio.cli._show.load import has_ended, time_of
from lionstudio.cli._toolkit.escape import inline
from lionstudio.files.shows.plan_reader import parse_plan
from lionstudio.model.messages import ActionRequest, Message
from lionstudio.model.shows.plan import Budget, GateKind, Plan
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import (
    PLAYS,
    PLAYS_IN_PROGRESS,
    PLAYS_WAITING_TO_START,
    PlayStatus,
    ShowStatus,
    row_of,
)
from lionstudio.shows.director.events import PlayState, Spent
from lionstudio.shows.director.rules import needs_person, over_budget
from lionstudio.shows.execute.budget import extended_budget
from lionstudio.shows.process import codec
from lionstudio.state.connection import Connection
from lionstudio.state.messages.windows import messages_before
from lionstudio.state.show_usage import ShowUsage, usage_of_show
from lionstudio.state.shows import get_show, list_plays
from lionstudio.studio.views.show_questions import Question, open_question

P = PlayStatus
_BUSY = PLAYS_IN_PROGRESS - PLAYS_WAITING_TO_START
_NEWEST = 2**53
_LONGEST = 200  # characters of what a play does now


class ShowSnapshot(NamedTuple):
    """A show, now."""

    topic: str
    goal: str
    status: ShowStatus
    plays: list[Play]
    doing: dict[str, str]
    depths: dict[str, int]
    needs_person: list[str]  # the plays that wait for somebody
    usage: ShowUsage
    began: float
    until: float  # now, or the last end when the show has ended
    now: float
    over_budget: str | None = None  # which part of it is used up
    last_word: str | None = None  # what a person is asked when the final gates have passed
    work: tuple[str, str] | None = None  # the repository and the branch that everything is merged into

    @property
    def merged(self) -> int:
        """How many plays have come to their end."""
        return sum(play.status is P.MERGED for play in self.plays)

    @property
    def busy(self) -> bool:
        """Whether something goes on by itself, or is about to start."""
        if has_ended(self.status):
            return False
        at_work = any(play.status in _BUSY and play.name not in self.needs_person for play in self.plays)
        return at_work or (self._startable and self.over_budget is None)

    @property
    def _startable(self) -> bool:
        """Whether a play waits for nothing but room and money."""
        merged = {play.name for play in self.plays if play.status is P.MERGED}
        due = any(play.status is P.PENDING and merged.issuperset(play.depends_on) for play in self.plays)
        return due or any(row_of(PLAYS, play.status).dependencies_merged for play in self.plays)

    @property
    def waits_for(self) -> list[str]:
        """What a person is needed for: plays, and the show itself."""
        if has_ended(self.status):
            return []
        about = self.over_budget if self._startable else self.last_word
        return [*self.needs_person, *([about] if about is not None else [])]

    @property
    def left_seconds(self) -> float | None:
        """A guess at the time left: what a play took, for as many rounds as there still are."""
        done = [play.duration_ms for play in self.plays if play.status is P.MERGED and play.duration_ms is not None]
        left = [play for play in self.plays if play.status is not P.MERGED]
        if not done or not left:
            return None
        rounds = len({self.depths[play.name] for play in left})
        running = max(1, sum(play.status is P.RUNNING for play in left))
        return sum(done) / len(done) / 1000 * max(rounds, ceil(len(left) / running))


def take_snapshot(conn: Connection, topic: str, now: float) -> ShowSnapshot:
    """Read it; only plays that run are asked what they do."""
    show = get_show(conn, topic)
    plays = list_plays(conn, show.id)
    doing = {play.name: _doing(conn, play) for play in plays if play.status is P.RUNNING}
    began, until = time_of(show.status, plays, now)
    text, usage = show.metadata.get("plan"), usage_of_show(conn, topic, now)
    plan = _plan(topic, text) if isinstance(text, str) else None
    return ShowSnapshot(
        topic,
        show.goal or "",
        show.status,
        plays,
        doing,
        _depths(plays),
        _waiting(plan, plays),
        usage,
        began,
        until,
        now,
        _over_budget(show, plan, usage),
        _last_word(show, plan, plays),
        (show.repo, show.integration_branch) if show.repo and show.integration_branch else None,
    )


def _waiting(plan: Plan | None, plays: list[Play]) -> list[str]:
    """Those that the rules of the show hold for a person, by the plan that the row keeps."""
    standings = {play.name: PlayState(status=play.status, approved=bool(_meta(play).get("approved"))) for play in plays}
    return list(needs_person(plan, standings)) if plan is not None else []


def _over_budget(show: Show, plan: Plan | None, usage: ShowUsage) -> str | None:
    if plan is None or plan.budget == Budget():
        return None
    spent = Spent(tokens=usage.tokens, cost_microusd=usage.cost_microusd, seconds=usage.seconds)
    return over_budget(codec.more(plan.budget, extended_budget(show.show_dir)), spent)


def _last_word(show: Show, plan: Plan | None, plays: list[Play]) -> str | None:
    """What the director asked about the whole, by its log; looked at only where it may have asked."""
    person = plan is not None and any(gate.kind is GateKind.PERSON for gate in plan.final_gates)
    if not person or any(play.status in _BUSY or row_of(PLAYS, play.status).dependencies_merged for play in plays):
        return None
    asked = open_question(show.show_dir)
    return asked.reason if asked is not None and asked.question is Question.LAST_WORD else None


@lru_cache(maxsize=1)
def _plan(topic: str, text: str) -> Plan | None:
    return parse_plan(topic, text)[0]


def _meta(play: Play) -> dict[str, Any]:
    found = play.metadata.get("meta")
    return found if isinstance(found, dict) else {}


def _doing(conn: Connection, play: Play) -> str:
    session = _meta(play).get("session_id") or play.session_id
    last = messages_before(conn, session, _NEWEST, 1) if isinstance(session, str) else []
    return "starting" if not last or last[0].message is None else _told(last[0].message)


def _told(message: Message) -> str:
    content = message.content if isinstance(message.content, dict) else {}
    if isinstance(message, ActionRequest):
        arguments = content.get("arguments")
        shown = next(iter(arguments.values()), "") if isinstance(arguments, dict) else arguments
        return inline(f"{content.get('function')} {shown or ''}".strip())[:_LONGEST]
    return inline(message.text or "").strip()[:_LONGEST]


def _depths(plays: list[Play]) -> dict[str, int]:
    """How many plays lie before each; a cycle, which no plan has, counts as none."""
    needs = {play.name: play.depends_on for play in plays}
    depths: dict[str, int] = {}
    for _ in plays:
        for name, before in needs.items():
            if name not in depths and all(need in depths or need not in needs for need in before):
                depths[name] = 1 + max((depths[need] for need in before if need in depths), default=-1)
    return {name: depths.get(name, 0) for name in needs}
