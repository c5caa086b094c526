"""Direct a show as an order: its commands are orders for any worker, and people speak by rows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lionstudio.errors import LionError
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.shows.director import commands, events
from lionstudio.shows.director.commands import Command
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.process import codec
from lionstudio.shows.process.engine import SHAPE
from lionstudio.shows.process.engine_hub import HubEngine
from lionstudio.shows.process.inbox import Detached
from lionstudio.shows.process.workflow import ShowWorkflow
from lionstudio.shows.records import play_records
from lionstudio.shows.records.team_folder import write_words
from lionstudio.shows.workers.fenced_database import FencedDatabase
from lionstudio.shows.workers.team_show import DirectedShow, Workplace
from lionstudio.state.connection import Connection
from lionstudio.state.shows import get_show
from lionstudio.state.workers.orders import Order, OrderLost, Work, list_answers, list_orders, place_order, stop_order

_LOOK_SECONDS = 2.0
_WORKS: dict[type[Command], Work] = {
    commands.RunAttempt: Work.ATTEMPT,
    commands.RunGates: Work.GATES,
    commands.MergePlay: Work.MERGE,
    commands.RunFinalGates: Work.FINAL_GATES,
}


class Lost(BaseException):
    """The order was given away; not an error, so that no step records it and no handler catches it."""


def without_loss(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return the work of a step that ends quietly when the order is lost."""

    def run(*args: Any) -> Any:
        try:
            return work(*args)
        except OrderLost as error:
            raise Lost from error

    return run


class TeamEngine:
    """The engine of one show on the hub: its commands are orders, and their answers rows."""

    def __init__(self, hub: HubEngine, database: FencedDatabase, order: Order, show: DirectedShow) -> None:
        self._hub, self._database, self._order, self._show = hub, database, order, show
        self._lock = threading.Lock()
        self._open: dict[str, tuple[str, Command, Callable[[str, Any], None]]] = {}
        self.failed: Callable[[Command, str], codec.Json] = lambda command, problem: {}

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        return self._hub.step(name, without_loss(work), *args)

    def order(
        self, job: str, command: Command, carry_out: Callable[[Command], Any], answer: Callable[[str, Any], None]
    ) -> None:
        if isinstance(command, commands.PrepareCheckout):  # the order of the attempt does it on its machine
            answer(job, codec.event_to_json(events.CheckoutPrepared(command.play)))
            return
        if isinstance(command, commands.StopAttempt):  # no order of it is open: nothing runs
            stopped = events.AttemptEnded(command.play, events.AttemptOutcome.STOPPED, self._show.stop_reason())
            answer(job, codec.event_to_json(stopped))
            return
        play = getattr(command, "play", None)
        order_id = f"{self._order.id}/{job}"
        needs = self._show.plan.needs_of(play)
        with self._lock:
            self._open[order_id] = (job, command, answer)

        def place(conn: Connection) -> None:
            record = codec.command_to_json(command)
            place_order(
                conn, order_id, self._order.topic, play, _WORKS[type(command)], record, needs=needs, shape=SHAPE
            )

        self._database.write(place)
        self.look()

    def look(self) -> None:
        """Pass on the answers that have come."""
        with self._lock:
            waiting = list(self._open)
        answers = self._database.read(lambda conn: list_answers(conn, waiting)) if waiting else {}
        for order_id, result in answers.items():
            with self._lock:
                job, command, answer = self._open.pop(order_id, ("", None, None))
            if answer is not None and command is not None:
                answer(job, result if result is not None else self.failed(command, "its order was cancelled"))

    def stop(self, reason: str, play: str | None = None) -> None:
        """Stop the orders of a play, or all of them."""

        def work(conn: Connection) -> None:
            for order in list_orders(conn, self._order.topic):
                if order.work is not Work.SHOW and play in (None, order.play):
                    stop_order(conn, order.id, reason)

        self._database.write(work)

    def close(self) -> None:
        """The worker closes the engine of the hub."""


class _TeamExecutor(Executor):
    """Carries out what the director does itself; everything else is an order."""

    engine: TeamEngine

    def request_stop(self, play: str) -> None:
        self.engine.stop(self.show.stop_reason() or "a person made a decision about the play", play)


class ShowOrder:
    """One show that this worker directs."""

    def __init__(self, hub: HubEngine, place: Workplace, database: FencedDatabase, order: Order) -> None:
        self._database, self._topic, self._warn = database, order.topic, place.warn
        self._show = show = DirectedShow(place, database, order.topic, accept_current=bool(order.command.get("again")))
        if order.command.get("again") and show.status is not ShowStatus.ACTIVE:
            show.status = play_records.reopen_show(show.show_dir, show.database).status
        executor = _TeamExecutor(show)
        self._workflow = ShowWorkflow(executor)
        self._engine = executor.engine = self._workflow.engine = TeamEngine(hub, database, order, show)
        self._engine.failed = lambda command, problem: codec.event_to_json(executor.failed(command, problem))
        self._changed, self._ended = threading.Event(), threading.Event()
        self._applied_edit: str | None = None

    def run(self) -> str:
        """Direct the show to its end; inside the workflow of the order."""
        if self._show.status is not ShowStatus.ACTIVE:
            return str(self._show.status)
        listener = threading.Thread(target=self._listen, daemon=True, name=f"feed of {self._topic}")
        listener.start()
        try:
            return self._workflow.show(self._topic)
        finally:
            self._ended.set()
            self._changed.set()
            listener.join()
            self._show.close()

    def wake(self) -> None:
        """Something about the show changed in the rows."""
        self._changed.set()

    def detach(self) -> None:
        """End here; another worker goes on."""
        self._workflow.inbox.detach()

    def _listen(self) -> None:
        while not self._ended.is_set():
            self._changed.clear()
            with suppress(OrderLost):
                try:
                    self._look()
                except LionError as error:
                    if isinstance(error, OrderLost):
                        raise
                    self._warn(f"{self._topic}: {error.message}")
            self._changed.wait(_LOOK_SECONDS)

    def _look(self) -> None:
        show = self._database.read(lambda conn: get_show(conn, self._topic))
        facts = show.metadata
        edit = facts.get("edit")
        edit = edit if isinstance(edit, dict) else {}
        edit_id = edit.get("id")
        write_words(
            self._show.show_dir, show, with_edit=edit_id not in (None, self._applied_edit, facts.get("edit_done"))
        )
        if edit_id is not None and edit_id != facts.get("edit_done"):
            self._applied_edit = edit_id
            if facts.get("plan") == edit.get("text") or facts.get("plan_error"):
                play_records.update_show(self._show.show_dir, self._database, edit_done=edit_id)
        if facts.get("abort"):
            self._engine.stop("the show was aborted")
        self._engine.look()
        self._workflow.inbox.wake()


__all__ = ["Detached", "Lost", "ShowOrder", "TeamEngine", "without_loss"]
