"""The state machine of a show, as far as its size matters; its rules have tests of their own."""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING

import pytest

from lionstudio.model.shows.plan import Gate, GateKind, Plan, PlannedPlay
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.director import events
from lionstudio.shows.director.machine import Director
from lionstudio.shows.director.state import PlayState

if TYPE_CHECKING:
    from _typeshed import TraceFunction


def steps_of_an_event(size: int, status: PlayStatus) -> int:
    """Lines that a director of so many plays executes for one event."""
    plays = tuple(PlannedPlay(name=f"p{number}") for number in range(size))
    plan = Plan(topic="large", plays=plays, gates=(Gate(kind=GateKind.PERSON),))
    director = Director(plan, {play.name: PlayState(status=status, attempt=1) for play in plays})
    director.handle(events.ShowStarted())
    lines = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> TraceFunction:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        director.handle(events.ShowStarted())
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.parametrize("status", [PlayStatus.GATED, PlayStatus.MERGED, PlayStatus.PENDING])
def test_cost_of_an_event_grows_no_faster_than_the_show(status: PlayStatus) -> None:
    assert steps_of_an_event(400, status) < 4.5 * steps_of_an_event(100, status)
