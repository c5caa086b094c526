"""JSON form of the values that the engine records: events, and the state that the workflow starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, get_args

from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.director.events import AttemptOutcome, Event, MergeResult, PlanEdited, Spent
from lionstudio.shows.director.state import PlayState
from lionstudio.shows.execute.budget import apply_grants

Json = dict[str, Any]
_EVENTS: Mapping[str, Any] = {kind.__name__: kind for kind in get_args(Event)}
_FIELDS: Mapping[str, Any] = {
    "outcome": AttemptOutcome,
    "result": MergeResult,
    "kind": DecisionKind,
    "files": tuple,
    "spent": lambda value: Spent(**value),
}


def event_to_json(event: Event) -> Json:
    return {"event": type(event).__name__, **asdict(event)}


def plan_edited_to_json(text: str, grants: Mapping[str, int], providers: Mapping[str, str]) -> Json:
    """Return a PlanEdited as the text of the plan: a whole Plan would be larger and need its own decoder."""
    return {"event": PlanEdited.__name__, "text": text, "granted": dict(grants), "providers": dict(providers)}


def event_from_json(record: Json, topic: str) -> Event:
    fields = {name: value for name, value in record.items() if name != "event"}
    if record["event"] == PlanEdited.__name__:
        plan = apply_grants(load_plan(topic, fields["text"]), fields["granted"])
        return PlanEdited(plan, fields["providers"])
    decoded = {
        name: _FIELDS[name](value) if name in _FIELDS and value is not None else value for name, value in fields.items()
    }
    event: Event = _EVENTS[record["event"]](**decoded)
    return event


def state_from_json(record: Json) -> PlayState:
    return PlayState(**{**record, "status": PlayStatus(record["status"]), "blocked_by": tuple(record["blocked_by"])})
