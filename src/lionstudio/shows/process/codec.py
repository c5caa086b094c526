"""JSON form of the values that the engine records: events, and the state that the workflow starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, get_args

from lionstudio.files.shows.followed_plan import followed_plan
from lionstudio.model.shows.decisions import DecisionKind, ReasonCode
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.director.commands import Command
from lionstudio.shows.director.events import AttemptOutcome, Event, MergeResult, PlanEdited, Spent
from lionstudio.shows.director.state import PlayState
from lionstudio.shows.execute.budget import apply_grants

Json = dict[str, Any]
_EVENTS: Mapping[str, Any] = {kind.__name__: kind for kind in get_args(Event)}
_COMMANDS: Mapping[str, Any] = {kind.__name__: kind for kind in get_args(Command)}
_FIELDS: Mapping[str, Any] = {
    "outcome": AttemptOutcome,
    "result": MergeResult,
    "kind": DecisionKind,
    "needs_person": ReasonCode,
    "files": tuple,
    "spent": lambda value: Spent(**value),
}


def event_to_json(event: Event) -> Json:
    return {"event": type(event).__name__, **asdict(event)}


def command_to_json(command: Command) -> Json:
    return {"command": type(command).__name__, **asdict(command)}


def command_from_json(record: Mapping[str, Any]) -> Command:
    fields = {name: value for name, value in record.items() if name != "command"}
    command: Command = _COMMANDS[record["command"]](**fields)
    return command


def plan_edited_to_json(text: str, accepted: str, grants: Mapping[str, int], providers: Mapping[str, str]) -> Json:
    """Return a PlanEdited as the texts of the plan: a whole Plan would be larger and need its own decoder."""
    record = {"text": text, "accepted": accepted, "granted": dict(grants), "providers": dict(providers)}
    return {"event": PlanEdited.__name__, **record}


def event_from_json(record: Json, topic: str) -> Event:
    fields = {name: value for name, value in record.items() if name != "event"}
    if record["event"] == PlanEdited.__name__:
        followed = followed_plan(topic, fields["accepted"], fields["text"])
        return PlanEdited(apply_grants(followed.plan, fields["granted"]), fields["providers"], followed.held)
    decoded = {
        name: _FIELDS[name](value) if name in _FIELDS and value is not None else value for name, value in fields.items()
    }
    event: Event = _EVENTS[record["event"]](**decoded)
    return event


def state_from_json(record: Json) -> PlayState:
    return PlayState(**{**record, "status": PlayStatus(record["status"]), "blocked_by": tuple(record["blocked_by"])})
