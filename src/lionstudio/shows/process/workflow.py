"""The show as a durable workflow: the director decides, the engine remembers what steps gave back, the stage does it.

Everything here follows from the outputs of steps, so that it can be played again; `SHAPE` in engine_dbos.py is raised
when the order of steps changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_never

from lionstudio.model.status.statuses import ShowStatus
from lionstudio.shows.director import events
from lionstudio.shows.director.events import Command
from lionstudio.shows.director.machine import Director
from lionstudio.shows.execute.executor import Executor, Noted
from lionstudio.shows.process import codec
from lionstudio.shows.process.engine import Engine, Workflow
from lionstudio.shows.process.inbox import Inbox


class ShowWorkflow:
    """One show on one engine."""

    def __init__(self, stage: Executor) -> None:
        self.stage = stage
        self.watching = Inbox(stage)
        self.engine: Engine | None = None

    @property
    def workflows(self) -> Mapping[str, Workflow]:
        """What the engine is to know."""
        # a plain function: the engine would take a method for something that it has to find again by its object
        return {"show": lambda topic: self.show(topic)}

    def show(self, topic: str) -> str:
        """The whole show, from where it stands to its end."""
        assert self.engine is not None
        return _Run(self, self.engine, topic).run()


class _Run:
    """What a director knows while it directs."""

    def __init__(self, production: ShowWorkflow, engine: Engine, topic: str) -> None:
        self._stage, self._watching = production.stage, production.watching
        self._engine, self._topic = engine, topic
        self._works: dict[str, codec.Json] = {}  # what is under way, by its id
        self._number = 0
        self._notes: list[Noted] = []  # decided, and not written yet
        self._aborting = self._resting = False
        self._text = ""
        self._granted: dict[str, int] = {}
        self._now = 0.0

    def run(self) -> str:
        taken = self._engine.step("take_up", self._stage.take_up)
        self._text, self._granted, self._aborting = taken["text"], taken["granted"], taken["aborted"]
        director = Director(
            codec.plan_of(self._topic, self._text, self._granted),
            {name: codec.to_standing(given) for name, given in taken["plays"].items()},
            providers=taken["providers"],
            aborted=self._aborting,
        )
        orders = [*director.on(codec.to_event(taken["tick"], self._topic)), *director.on(events.ShowStarted())]
        while True:
            for order in orders:
                if isinstance(order, events.SaveTransition):
                    self._notes.append((order.play, order.next, order.next.word_id))
                else:
                    self._carry_out(order)
            self._write_notes()
            if director.ended is not None:
                return str(director.ended)
            orders = [order for given in self._wait(director) for order in self._hear(director, given)]

    def _wait(self, director: Director) -> list[codec.Json]:
        parked = [play.parked_until for play in director.plays.values() if play.parked_until is not None]
        later = [moment for moment in parked if moment > self._now] if parked else []

        def wait() -> list[codec.Json]:
            return self._watching.wait(
                self._works,
                (self._text, self._granted),
                aborting=self._aborting,
                resting=self._resting,
                wake_at=min(later, default=None),
            )

        found: list[codec.Json] = self._engine.step("wait", wait)
        return found

    def _hear(self, director: Director, given: codec.Json) -> list[Command]:
        self._resting = False
        given = dict(given)
        self._works.pop(given.pop("work", ""), None)
        if given["cue"] == "PlanEdited":
            self._text, self._granted = given["text"], given["granted"]
        elif given["cue"] == "ClockTicked":
            self._now = given["now"]
        elif given["cue"] == "AbortRequested":
            self._aborting = True
        return director.on(codec.to_event(given, self._topic))

    def _write_notes(self) -> None:
        """One after the other, and remembered together: a step costs as much as what is done in it."""
        if self._notes:
            self._engine.step("note", self._stage.note, self._notes)
            self._notes = []

    def _step(self, name: str, work: Callable[..., Any], *given: Any) -> None:
        """Something that is done at once, and not before what was decided until then is written."""
        self._write_notes()
        self._engine.step(name, work, *given)

    def _carry_out(self, order: Command) -> None:
        step = self._step
        match order:
            case events.SaveTransition():
                raise TypeError(order)  # written together with the others
            case events.StopAttempt(play=play) if any(work.get("play") == play for work in self._works.values()):
                step("stop", self._stage.stop, play)
            case (
                events.PrepareCheckout()
                | events.RunAttempt()
                | events.StopAttempt()
                | events.RunGates()
                | events.MergePlay()
                | events.RunFinalGates()
            ):
                self._start(order)
            case events.AskPerson(play=about, reason=reason):
                step("ask", self._stage.ask, about, reason)
            case events.EndShow(status=status):
                step("end", self._stage.end, ShowStatus(status))
            case events.AwaitPerson():
                self._resting = True
            case _:
                assert_never(order)

    def _start(self, order: Command) -> None:
        """From now on it is waited for; whoever waits begins it, also after a crash."""
        self._number += 1
        self._works[str(self._number)] = codec.to_json(order)
