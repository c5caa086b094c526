"""The show as a durable workflow: the director decides, the engine records results, the executor does the work.

Everything here follows from the results of steps, so that the engine can replay it; raise `SHAPE` in engine.py
when the order or the results of steps change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, assert_never

from lionstudio.files.shows.followed_plan import followed_plan
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.shows.director import commands, events
from lionstudio.shows.director.commands import Command, SaveTransition
from lionstudio.shows.director.machine import Director
from lionstudio.shows.execute.budget import apply_grants
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.process import codec
from lionstudio.shows.process.engine import Engine, Workflow
from lionstudio.shows.process.inbox import Inbox, PlanVersion


class ShowWorkflow:
    """One show on one engine."""

    def __init__(self, executor: Executor, on_rest: Callable[[], None] = lambda: None) -> None:
        self.executor = executor
        self.inbox = Inbox(executor, on_rest)
        self.engine: Engine | None = None

    @property
    def workflows(self) -> Mapping[str, Workflow]:
        # a plain function: for a method, the engine would look up the object again on recovery
        return {"show": lambda topic: self.show(topic)}

    def show(self, topic: str) -> str:
        """Direct the show from its current state to its end."""
        assert self.engine is not None
        self.inbox.engine = self.engine
        return _WorkflowRun(self, self.engine, topic).run()


class _WorkflowRun:
    """State of one run of the workflow, rebuilt on replay."""

    def __init__(self, workflow: ShowWorkflow, engine: Engine, topic: str) -> None:
        self._executor, self._inbox = workflow.executor, workflow.inbox
        self._engine, self._topic = engine, topic
        self._running: dict[str, Command] = {}  # by job id
        self._next_job = 0
        self._transitions: list[SaveTransition] = []  # decided, not written yet
        self._aborting = self._resting = False
        self._text = self._accepted = ""
        self._grants: dict[str, int] = {}
        self._now = 0.0
        self._asked: tuple[commands.AskPerson, ...] | None = None  # about the show; None: the rows may have others

    def run(self) -> str:
        loaded = self._engine.step("load_state", self._load_state)
        self._grants, self._aborting = loaded["granted"], loaded["aborted"]
        followed = followed_plan(self._topic, loaded["accepted"], loaded["text"])
        self._use_text(loaded, followed.held)
        director = Director(
            apply_grants(followed.plan, self._grants),
            {name: codec.state_from_json(record) for name, record in loaded["plays"].items()},
            providers=loaded["providers"],
            aborted=self._aborting,
            held=followed.held,
        )
        tick = codec.event_from_json(loaded["tick"], self._topic)
        issued = [*director.handle(tick), *director.handle(events.ShowStarted())]
        while True:
            for command in issued:
                self._carry_out(command)
            self._save_transitions()
            self._keep_questions(director)
            if director.outcome is not None:
                return str(director.outcome)
            issued = [command for record in self._wait(director) for command in self._handle(director, record)]

    def _load_state(self) -> codec.Json:
        loaded = self._executor.load_state()
        return {
            "text": loaded.text,
            "accepted": loaded.accepted,
            "granted": loaded.grants,
            "plays": {name: asdict(state) for name, state in loaded.plays.items()},
            "providers": loaded.providers,
            "aborted": loaded.aborted,
            "tick": codec.event_to_json(self._executor.tick()),
        }

    def _wait(self, director: Director) -> list[codec.Json]:
        parked = [play.parked_until for play in director.plays.values() if play.parked_until is not None]
        wake_at = min((moment for moment in parked if moment > self._now), default=None)

        def wait() -> list[codec.Json]:
            return self._inbox.wait(
                self._running,
                PlanVersion(self._text, self._accepted, self._grants),
                aborting=self._aborting,
                resting=self._resting,
                wake_at=wake_at,
            )

        records: list[codec.Json] = self._engine.step("wait", wait)
        return records

    def _handle(self, director: Director, record: codec.Json) -> list[Command]:
        self._resting = False
        record = dict(record)
        self._running.pop(record.pop("job", ""), None)
        event = codec.event_from_json(record, self._topic)
        match event:
            case events.PlanEdited(held=held):
                self._grants, self._asked = record["granted"], None
                self._use_text(record, held)
            case events.ClockTicked(now=now):
                self._now = now
            case events.AbortRequested():
                self._aborting = True
        return director.handle(event)

    def _use_text(self, record: codec.Json, held: tuple[str, ...]) -> None:
        """Remember which plan the director has; one without held changes is accepted as a whole."""
        self._text = record["text"]
        self._accepted = record["accepted"] if held else record["text"]

    def _save_transitions(self) -> None:
        """Write the transitions in order, as one step: recording a step costs as much as the write itself."""
        if self._transitions:
            self._engine.step("save_transitions", self._executor.save_transitions, self._transitions)
            self._transitions = []

    def _keep_questions(self, director: Director) -> None:
        """Make the questions about the show equal to those that the director asks, where they may differ."""
        asked = director.asked_about_show if director.outcome is None else ()
        if asked != self._asked:
            self._asked = asked
            self._engine.step("keep_questions", self._executor.keep_questions, asked)

    def _step(self, name: str, work: Callable[..., Any], *args: Any) -> None:
        """Run a step after the transitions that were decided before it are written."""
        self._save_transitions()
        self._engine.step(name, work, *args)

    def _carry_out(self, command: Command) -> None:
        match command:
            case SaveTransition():
                self._transitions.append(command)
            case commands.StopAttempt(play=play) if self._is_running(play):
                self._step("request_stop", self._executor.request_stop, play)
            case (
                commands.PrepareCheckout()
                | commands.RunAttempt()
                | commands.StopAttempt()
                | commands.RunGates()
                | commands.MergePlay()
                | commands.RunFinalGates()
            ):
                # the next wait starts it, also after a crash
                self._next_job += 1
                self._running[str(self._next_job)] = command
            case commands.AskPerson():
                self._step("ask_person", self._executor.ask_person, command)
            case commands.EndShow(status=status):
                self._step("end_show", self._executor.end_show, ShowStatus(status))
            case commands.AwaitPerson():
                self._resting = True
            case _:
                assert_never(command)

    def _is_running(self, play: str) -> bool:
        return any(getattr(command, "play", None) == play for command in self._running.values())
