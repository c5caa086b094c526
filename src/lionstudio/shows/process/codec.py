"""Events and commands as the engine writes them down: plain JSON, read back into the same types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.model.shows.plan import Budget, Plan
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.director import events
from lionstudio.shows.director.events import Command, Event, PlayState, Spent

Json = dict[str, Any]
_EVENTS = (
    events.ShowStarted,
    events.CheckoutPrepared,
    events.AttemptEnded,
    events.GatesEvaluated,
    events.MergeTried,
    events.DecisionMade,
    events.ClockTicked,
    events.AbortRequested,
    events.ShowAccepted,
    events.ShowRejected,
    events.FinalGatesEvaluated,
)
_WORKS = (
    events.PrepareCheckout,
    events.RunAttempt,
    events.StopAttempt,
    events.RunGates,
    events.MergePlay,
    events.RunFinalGates,
)
_BY_NAME: Mapping[str, Any] = {kind.__name__: kind for kind in (*_EVENTS, *_WORKS)}
_REVIVED: Mapping[str, Any] = {
    "outcome": events.AttemptOutcome,
    "result": events.MergeResult,
    "word": events.DecisionKind,
    "files": tuple,
    "spent": lambda given: Spent(**given),
}


def to_json(cue: Event | Command) -> Json:
    """What happened, or what is to be done."""
    return {"cue": type(cue).__name__, **asdict(cue)}


def edited(text: str, granted: Mapping[str, int], providers: Mapping[str, str]) -> Json:
    """That the plan is this text now, or its budget larger, and who runs its plays."""
    return {"cue": "PlanEdited", "text": text, "granted": dict(granted), "providers": dict(providers)}


def to_event(given: Json, topic: str) -> Event:
    """The event that was written down."""
    if given["cue"] == "PlanEdited":
        return events.PlanEdited(plan_of(topic, given["text"], given["granted"]), given["providers"])
    event: Event = _revive(given)
    return event


def to_work(given: Json) -> Command:
    """The command that was written down."""
    work: Command = _revive(given)
    return work


def _revive(given: Json) -> Any:
    fields = {name: value for name, value in given.items() if name != "cue"}
    revived = {
        name: _REVIVED[name](value) if name in _REVIVED and value is not None else value
        for name, value in fields.items()
    }
    return _BY_NAME[given["cue"]](**revived)


def plan_of(topic: str, text: str, granted: Mapping[str, int]) -> Plan:
    """A plan with what a person has granted beyond it: more of its budget, more or fewer plays at a time."""
    plan = load_plan(topic, text)
    return replace(plan, budget=more(plan.budget, granted), concurrency=granted.get("concurrency", plan.concurrency))


def more(budget: Budget, granted: Mapping[str, int]) -> Budget:
    """A budget with what a person has added to it."""
    limits = asdict(budget)
    return Budget(**{name: limit and limit + granted.get(name, 0) for name, limit in limits.items()})


def standing_to_json(standing: PlayState) -> Json:
    """Where a play stands."""
    return {**asdict(standing), "status": str(standing.status), "blocked_by": list(standing.blocked_by)}


def to_standing(given: Json) -> PlayState:
    """Where a play stood."""
    return PlayState(**{**given, "status": PlayStatus(given["status"]), "blocked_by": tuple(given["blocked_by"])})
