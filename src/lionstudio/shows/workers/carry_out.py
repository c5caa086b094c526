"""Carry out one order that is not a show: a whole attempt, gates, a merge or the final gates. May be repeated."""

from __future__ import annotations

from typing import Any

from lionstudio.shows.director import commands, events
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.execute.gate_and_merge import GateAndMerge
from lionstudio.shows.process import codec
from lionstudio.shows.process.engine_hub import HubEngine
from lionstudio.shows.workers.direct import without_loss
from lionstudio.shows.workers.team_show import OrderShow
from lionstudio.state.workers.orders import Work, WorkOrder


def carry_out(engine: HubEngine, order: WorkOrder, show: OrderShow) -> codec.Json:
    """Return the event that answers an order; each part is a step of its workflow."""
    executor, command = Executor(show), codec.command_from_json(order.command)

    def step(name: str, work: Any) -> Any:
        return engine.step(name, without_loss(work))

    if order.work is not Work.ATTEMPT or not isinstance(command, commands.RunAttempt):
        return dict(step(str(order.work), lambda: codec.event_to_json(executor.execute(command))))
    play, prepare = command.play, commands.PrepareCheckout(command.play, command.attempt)
    if (reason := step("stopped", show.stop_reason)) is not None:
        return codec.event_to_json(events.AttemptEnded(play, events.AttemptOutcome.STOPPED, reason))
    prepared = step("prepare", lambda: codec.event_to_json(executor.execute(prepare)))
    if prepared["problem"] is not None:
        stopped = events.AttemptEnded(play, events.AttemptOutcome.STOPPED, prepared["problem"])
        return codec.event_to_json(stopped)
    ended: codec.Json = step("run", lambda: codec.event_to_json(executor.execute(command)))
    has_ended = ended["outcome"] != events.AttemptOutcome.LIMITED

    def collect() -> str | None:
        return executor.try_to(lambda: GateAndMerge(show, play).collect_and_publish(has_ended=has_ended))

    if (problem := step("collect", collect)) is not None:
        return codec.event_to_json(events.AttemptEnded(play, events.AttemptOutcome.STOPPED, problem))
    return ended
