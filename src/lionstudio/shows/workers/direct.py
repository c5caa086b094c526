"""Direct a show as an order: its commands are orders for any worker, and people speak by rows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.model.shows.show import Show
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.shows.director import commands, events
from lionstudio.shows.director.commands import Command
from lionstudio.shows.execute.executor import Executor, failure_of
from lionstudio.shows.process import codec
from lionstudio.shows.process.engine import SHAPE
from lionstudio.shows.process.engine_hub import HubEngine
from lionstudio.shows.process.inbox import Detached
from lionstudio.shows.process.workflow import ShowWorkflow
from lionstudio.shows.records import play_records
from lionstudio.shows.records.team_folder import write_requests
from lionstudio.shows.workers.fenced_database import FencedDatabase
from lionstudio.shows.workers.team_show import DirectedShow, Workplace
from lionstudio.state.connection import Connection
from lionstudio.state.shows import get_show
from lionstudio.state.workers.orders import (
    OrderLost,
    Work,
    WorkOrder,
    find_last_attempt,
    list_answers,
    list_orders,
    place_order,
    stop_order,
)

_LOOK_SECONDS = 2.0
_ATTEMPTED = (events.AttemptOutcome.COMPLETED, events.AttemptOutcome.FAILED, events.AttemptOutcome.TIMED_OUT)
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


class _Open(NamedTuple):
    """A command whose answer has not come."""

    job: str
    command: Command
    answer: Callable[[str, Any], None]


class TeamEngine:
    """The engine of one show on the hub: its commands are orders, and their answers rows."""

    def __init__(self, hub: HubEngine, database: FencedDatabase, order: WorkOrder, show: DirectedShow) -> None:
        self._hub, self._database, self._order, self._show = hub, database, order, show
        # held for a whole look: a slower thread would place an order again that has ended, and stop the next one
        self._looking = threading.RLock()
        self._open: dict[str, _Open] = {}
        self._unplaced: list[str] = []  # until an order that an earlier director left has ended

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        return self._hub.step(name, without_loss(work), *args)

    def order(
        self, job: str, command: Command, carry_out: Callable[[Command], Any], answer: Callable[[str, Any], None]
    ) -> None:
        if isinstance(command, commands.PrepareCheckout):  # the order of the attempt does it on its machine
            answer(job, codec.event_to_json(events.CheckoutPrepared(command.play)))
            return
        order_id = f"{self._order.id}/{job}"
        with self._looking:
            self._open[order_id] = _Open(job, command, answer)
            self._unplaced.append(order_id)
            self.look()

    def look(self) -> None:
        """Place the orders that can be placed now, and pass on the answers that have come."""
        with self._looking:
            for order_id in list(self._unplaced):
                self._place(order_id)
            waiting = [order_id for order_id in self._open if order_id not in self._unplaced]
            answers = self._database.read(lambda conn: list_answers(conn, waiting)) if waiting else {}
            for order_id, result in answers.items():
                self._pass_on(order_id, result)

    def _place(self, order_id: str) -> None:
        """Place an order once no other one of its play is open; the same work of an earlier director is adopted.

        Final gates are not: the branch may have changed since they began.
        """
        command = self._open[order_id].command
        play, record = getattr(command, "play", None), codec.command_to_json(command)
        work, needs = _WORKS.get(type(command)), self._show.plan.needs_of(play)

        def place(conn: Connection) -> str | None:
            for other in list_orders(conn, self._order.topic):
                if other.work is Work.SHOW or other.play != play or other.id == order_id:
                    continue
                if play is not None and other.work is work and other.command == record and other.stop is None:
                    return other.id
                stop_order(conn, other.id, "a later director ordered other work")
                return None
            if work is Work.ATTEMPT and (unread := self._find_unread(conn, play or "", record)) is not None:
                return unread
            if work is not None:
                place_order(conn, order_id, self._order.topic, play, work, record, needs=needs, shape=SHAPE)
            return order_id

        placed = self._database.write(place)
        if placed is None:
            return
        self._unplaced.remove(order_id)
        self._open[placed] = self._open.pop(order_id)
        if work is None:  # a stop of what ran
            stopped = events.AttemptEnded(play or "", events.AttemptOutcome.STOPPED, self._show.stop_reason())
            self._pass_on(order_id, codec.event_to_json(stopped))

    def _find_unread(self, conn: Connection, play: str, record: codec.Json) -> str | None:
        """Find the order of an attempt that ended after its director gave up: its agent must not run twice.

        A director that has read such an answer orders another attempt, or none.
        """
        last = None if self._order.id.endswith("~1") else find_last_attempt(conn, self._order.topic, play)
        if last is None or last.command != record or last.stop is not None or not isinstance(last.answer, dict):
            return None
        return last.id if last.answer.get("outcome") in _ATTEMPTED else None

    def _pass_on(self, order_id: str, result: Any) -> None:
        one = self._open.pop(order_id)
        cancelled = failure_of(one.command, "its order was cancelled")
        one.answer(one.job, result if result is not None else codec.event_to_json(cancelled))

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

    def __init__(self, hub: HubEngine, place: Workplace, database: FencedDatabase, order: WorkOrder) -> None:
        self._database, self._topic, self._warn = database, order.topic, place.warn
        self._show = show = DirectedShow(place, database, order.topic, accept_current=bool(order.command.get("again")))
        if order.command.get("again") and show.resumed_by != order.id:
            # once: a worker that takes the order over must not undo the end that the show has come to since
            if show.status is not ShowStatus.ACTIVE:
                show.status = play_records.reopen_show(show.show_dir, show.database).status
            play_records.update_show(show.show_dir, show.database, resumed_by=order.id)
        executor = _TeamExecutor(show)
        self._workflow = ShowWorkflow(executor)
        self._engine = executor.engine = self._workflow.engine = TeamEngine(hub, database, order, show)
        self._changed, self._row_changed, self._ended = threading.Event(), threading.Event(), threading.Event()
        self._row_changed.set()
        self._failure: Exception | None = None  # of the listener
        self._looked_at: Show | None = None
        self._applied_edit: str | None = None
        self._problem_before: str | None = None  # of an earlier edit

    def run(self) -> str:
        """Direct the show to its end; inside the workflow of the order."""
        if self._show.status is not ShowStatus.ACTIVE:
            return str(self._show.status)
        listener = threading.Thread(target=self._listen, daemon=True, name=f"feed of {self._topic}")
        listener.start()
        try:
            return self._workflow.show(self._topic)
        except Detached:
            if self._failure is not None:
                raise self._failure from None
            raise
        finally:
            self._ended.set()
            self._changed.set()
            listener.join()

    def close(self) -> None:
        self._show.close()

    def wake(self, *, row_changed: bool = True) -> None:
        """Something about the show changed in the rows: its own row, or only its orders."""
        if row_changed:
            self._row_changed.set()
        self._changed.set()

    def detach(self) -> None:
        """End here; another worker goes on."""
        self._workflow.inbox.detach()

    def _listen(self) -> None:
        while not self._ended.is_set():
            self._changed.clear()
            try:
                self._engine.look()
                if self._row_changed.is_set():
                    self._row_changed.clear()
                    self._look_at_row()
            except OrderLost:
                return  # the worker learns it by its next renewal
            except LionError as error:
                self._row_changed.set()
                self._warn(f"{self._topic}: {error.message}")
            except Exception as error:  # without answers the show would stand still for ever
                self._failure = error
                self.detach()
                return
            if not self._changed.wait(_LOOK_SECONDS):
                self._row_changed.set()

    def _look_at_row(self) -> None:
        show = self._database.read(lambda conn: get_show(conn, self._topic))
        facts = show.metadata
        if show == self._looked_at and not facts.get("abort"):
            return
        edit = facts.get("edit")
        edit = edit if isinstance(edit, dict) else {}
        edit_id = edit.get("id")
        write_requests(
            self._show.show_dir, show, with_edit=edit_id not in (None, self._applied_edit, facts.get("edit_done"))
        )
        if edit_id is not None and edit_id != facts.get("edit_done"):
            problem = facts.get("plan_error")
            if edit_id != self._applied_edit:
                self._applied_edit, self._problem_before = edit_id, problem
            if facts.get("plan") == edit.get("text") or problem not in (None, self._problem_before):
                play_records.update_show(self._show.show_dir, self._database, edit_done=edit_id)
        if facts.get("abort"):
            self._engine.stop("the show was aborted")
        self._looked_at = show
        self._workflow.inbox.wake()
