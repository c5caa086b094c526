"""The orders that a worker has: each is a workflow of the engine that ends with the answer in its row."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import LionError
from lionstudio.shows.execute.executor import failure_of
from lionstudio.shows.process import codec
from lionstudio.shows.process.engine_hub import HubEngine
from lionstudio.shows.process.inbox import Detached
from lionstudio.shows.workers.carry_out import carry_out
from lionstudio.shows.workers.direct import Lost, ShowOrder
from lionstudio.shows.workers.fenced_database import AWAY, FencedDatabase
from lionstudio.shows.workers.team_show import OrderShow, Shared, Workplace
from lionstudio.state.database import Database
from lionstudio.state.workers.orders import OrderLost, Work, WorkOrder, answer_order, release_order

_GIVEN_AWAY = "its order was given to another worker"


@dataclass(slots=True)
class Carried:
    """One order that this worker has."""

    order: WorkOrder
    renewed_at: float  # by the clock of this machine, before the hub was asked
    stop: str | None = None
    is_lost: bool = False
    show: ShowOrder | None = None
    leaving: bool = False
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def is_over(self) -> bool:
        return self.is_lost or self.leaving

    @property
    def name(self) -> str:
        return name_of(self.order)

    def lose(self) -> None:
        """Note that another worker has it, or may have it; its director ends."""
        self.is_lost = True
        if self.show is not None:
            self.show.detach()


class CarriedOrders:
    """Starts orders, carries them out, and forgets each when its work has ended here; then it calls `wake`."""

    def __init__(self, place: Workplace, say: Callable[[str], None], wake: Callable[[], None]) -> None:
        self._place, self._say, self._wake = place, say, wake
        self._lock = threading.Lock()
        self._carried: dict[str, Carried] = {}
        self._shared: dict[str, Shared] = {}  # by topic
        self._database: Database | None = None
        self._engine: HubEngine | None = None

    def open(self, database: Database, worker_id: str) -> None:
        """Use a database, and start the engine."""
        self._database = database
        self._engine = HubEngine(
            self._place.settings.db, worker_id, {"direct": self._direct, "carry_out": self._carry_out}
        )

    def list(self) -> list[Carried]:
        with self._lock:
            return list(self._carried.values())

    def begin(self, order: WorkOrder, renewed_at: float) -> None:
        """Carry out an order that this worker has taken, or had when it ended."""
        carried = Carried(order, renewed_at, stop=order.stop)
        with self._lock:
            self._carried[order.id] = carried
        threading.Thread(target=self._start, args=(carried,), daemon=True, name=order.id).start()

    def give_shows_back(self) -> None:
        """End directing here and let other workers go on with the shows; each is released when it has ended."""
        for carried in self.list():
            if carried.order.work is Work.SHOW:
                carried.leaving = True
                if carried.show is not None:
                    carried.show.detach()

    def _start(self, carried: Carried) -> None:
        """Start the workflow of an order, or resume it; another director's steps are used again, nothing else is."""
        try:
            self._fenced(carried).patiently(lambda: self._start_workflow(carried))
        except OrderLost:
            self._forget(carried)
        except LionError as error:  # every worker would fail in the same way
            self._say(f"{carried.name}: {error.message}")
            with suppress(LionError):  # without an answer: after a lease, another try
                self._answer(carried, self._failed(carried.order, error))
            self._forget(carried)
        except Exception as error:  # such as a lost connection of the engine: after a lease, another try
            self._say(f"{carried.name}: {type(error).__name__}: {error}")
            self._forget(carried)

    def _start_workflow(self, carried: Carried) -> None:
        assert self._engine is not None
        order = carried.order
        if order.work is Work.SHOW and not self._engine.has_ended(order.id):
            self._engine.start(order.id, "direct", order.id)
        elif order.work is Work.SHOW:
            self._answer(carried, {"error": "the director ended without an answer"})
            self._forget(carried)
        elif self._engine.has_ended(workflow := f"{order.id}/{order.fence}"):
            self._release(order)  # it failed without an answer: another try gets another number
            self._forget(carried)
        else:
            self._engine.start(workflow, "carry_out", order.id, order.fence)

    # ── in threads of the engine ──

    def _direct(self, order_id: str) -> None:
        with self._carrying(order_id) as carried:
            if carried is None:
                raise Detached  # not ours: the worker that has the order resumes it
            assert self._engine is not None
            self._say(f"Directing {carried.order.topic}")
            try:
                carried.show = ShowOrder(self._engine, self._place, self._fenced(carried), carried.order)
                with closing(carried.show):
                    if carried.is_over:
                        raise Detached
                    answer: codec.Json = {"status": carried.show.run()}
            except Detached:
                self._leave(carried)
                raise
            except OrderLost as error:
                raise Lost from error
            except AWAY as error:
                raise Detached from error  # no answer: the show is resumed from its steps
            except Exception as error:
                if carried.is_over:  # perhaps it stopped waiting for the remote because of that
                    self._leave(carried)
                    raise Detached from error
                answer = self._failed(carried.order, error)
            point("worker.directed")
            self._answer(carried, answer)
            self._say(f"{carried.order.topic} ended: {answer.get('status') or answer.get('error')}")

    def _carry_out(self, order_id: str, fence: int) -> None:
        with self._carrying(order_id) as carried:
            if carried is None or carried.order.fence != fence:
                raise Detached
            self._say(f"{carried.name}: {carried.order.work}")
            try:
                answer = self._carry_out_in_show(carried)
            except (OrderLost, *AWAY) as error:  # without an answer: after a lease, another try
                raise Lost from error
            except Exception as error:  # only this play is affected
                answer = self._failed(carried.order, error)
            point("worker.done")
            self._answer(carried, answer)

    def _carry_out_in_show(self, carried: Carried) -> codec.Json:
        order, database = carried.order, self._fenced(carried)
        assert self._engine is not None
        with self._lock:
            shared = self._shared.setdefault(order.topic, Shared())
        open_show = partial(
            OrderShow,
            self._place,
            database,
            order.topic,
            order.play,
            (order.id, order.fence),
            shared,
            lambda: _GIVEN_AWAY if carried.is_lost else carried.stop,
            lambda: carried.renewed_at,
        )
        with closing(database.patiently(open_show)) as show:
            return carry_out(self._engine, order, show)

    @contextmanager
    def _carrying(self, order_id: str) -> Iterator[Carried | None]:
        """Forget an order when its work has ended here, however it ended."""
        with self._lock:
            carried = self._carried.get(order_id)
        try:
            yield carried
        except (Detached, Lost):
            if carried is not None and carried.is_lost:
                self._say(f"{carried.name} was given to another worker; it ends here.")
            raise
        except OrderLost as error:
            raise Lost from error
        except Exception as error:
            self._say(f"{order_id}: {type(error).__name__}: {error}")
            raise
        finally:
            if carried is not None:
                self._forget(carried)

    # ── the end of an order ──

    def _leave(self, carried: Carried) -> None:
        """Release a show that this worker is to leave; otherwise it is given away after its lease."""
        if carried.leaving:
            with suppress(LionError):
                self._release(carried.order)

    def _failed(self, order: WorkOrder, error: Exception) -> Any:
        """The answer of an order that failed here; None for a command that cannot be read."""
        problem = self._problem_of(error)
        if order.work is Work.SHOW:
            return {"error": problem}
        try:
            command = codec.command_from_json(order.command)
        except (KeyError, TypeError):
            return None  # its director knows the command
        return codec.event_to_json(failure_of(command, problem))

    def _problem_of(self, error: Exception) -> str:
        if isinstance(error, LionError):
            return error.message if error.hint is None else f"{error.message} ({error.hint})"
        self._say(traceback.format_exc())
        return f"the worker failed: {type(error).__name__}: {error}"

    def _answer(self, carried: Carried, answer: Any) -> None:
        database, order = self._fenced(carried), carried.order
        database.write(lambda conn: answer_order(conn, order.id, order.fence, answer))

    def _release(self, order: WorkOrder) -> None:
        assert self._database is not None
        self._database.write(lambda conn: release_order(conn, order.id, order.fence))

    def _forget(self, carried: Carried) -> None:
        with self._lock:
            if self._carried.get(carried.order.id) is carried:
                del self._carried[carried.order.id]
        carried.done.set()
        self._wake()

    def _fenced(self, carried: Carried) -> FencedDatabase:
        assert self._database is not None
        return FencedDatabase(self._database, carried.order.id, carried.order.fence, lambda: carried.is_over)


def name_of(order: WorkOrder) -> str:
    return order.topic if order.play is None else f"{order.topic}/{order.play}"
