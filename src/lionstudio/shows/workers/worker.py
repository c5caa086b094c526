"""The worker process: it takes orders of shows from the hub, carries them out, and renews their leases.

No decision here depends on the clock of another machine. While the hub is away, everything waits: agents are frozen by
their supervisors, and after the hub is back the fence of each order tells whether it is still ours.
"""

from __future__ import annotations

import shlex
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from lionstudio.crash import point
from lionstudio.errors import Conflict, LionError, WrongVersion
from lionstudio.machine import host_name
from lionstudio.runs.settle import settle_dead_runs
from lionstudio.shows.process.engine import SHAPE
from lionstudio.shows.process.engine_database import check_engine
from lionstudio.shows.workers.carried_orders import CarriedOrders, name_of
from lionstudio.shows.workers.fenced_database import AWAY
from lionstudio.shows.workers.sweeper import SWEEP_SECONDS, Sweeper, clock
from lionstudio.shows.workers.team_show import Workplace
from lionstudio.state.backends import open_database, open_tail
from lionstudio.state.connection import Connection, ServerRefused
from lionstudio.state.database import Database
from lionstudio.state.feed.changes import Changes
from lionstudio.state.hub.machines import see_machine
from lionstudio.state.workers.orders import (
    Work,
    WorkOrder,
    give_away,
    list_taken,
    list_waiting,
    renew_order,
    take_order,
)
from lionstudio.state.workers.workers import BEAT_SECONDS, Worker, beat_worker, can_take, register_worker, stop_worker

T = TypeVar("T")
_RETRY_SECONDS = BEAT_SECONDS / 5
_SETTLE_SECONDS = 12 * BEAT_SECONDS
_FIRST = (Work.SHOW, Work.MERGE, Work.FINAL_GATES, Work.GATES, Work.ATTEMPT)  # what is nearly done comes first


class WorkerProcess:
    """One worker; `say` prints a line for the user."""

    def __init__(self, place: Workplace, worker: Worker, say: Callable[[str], None]) -> None:
        self._me, self._say = worker, say
        self._db = place.settings.db
        self._wakeup = threading.Event()
        self._carried = CarriedOrders(place, say, self._wakeup.set)
        self._stopping = self._leaving = self._draining = False
        self._is_away = False
        self._settle_at = 0.0
        self._other_shapes: set[str] = set()
        self._refused: set[str] = set()  # orders that could not be taken
        self._database: Database | None = None

    # ── life ──

    def run(self, *, once: bool = False) -> int:
        """Work until a signal has ended it; with `once`, until nothing is left to do."""
        if not self._connect():
            return 0
        plays = "1 play" if self._me.at_once == 1 else f"{self._me.at_once} plays"
        self._say(f"Worker {self._me.name} is connected, and takes up to {plays} at once.")
        threads = [
            threading.Thread(target=self._keep, args=(loop,), daemon=True, name=name)
            for name, loop in (("leases", self._renew), ("sweeper", self._sweep), ("feed", self._follow))
        ]
        for thread in threads:
            thread.start()
        self._adopt()
        idle_since: float | None = None
        while not self._is_finished():
            self._wakeup.clear()
            self._try(self._settle)
            took = self._try(self._take) or 0
            if once and not took and not self._carried.list():
                idle_since = idle_since or time.monotonic()
                if time.monotonic() - idle_since > 2 * BEAT_SECONDS:
                    break
            else:
                idle_since = None
            self._wakeup.wait(BEAT_SECONDS)
        self._leave()
        return 0

    def stop(self) -> None:
        """First: take nothing new and finish what runs; shows go to other workers. Second: leave at once."""
        if self._stopping:
            self._leaving = True
        self._stopping = True
        self._wakeup.set()

    @property
    def is_stopping(self) -> bool:
        return self._stopping

    @property
    def plays(self) -> int:
        return sum(carried.order.work.takes_place for carried in self._carried.list())

    def _takes_nothing(self) -> bool:
        return self._stopping or self._draining

    def _is_finished(self) -> bool:
        if self._takes_nothing():
            self._carried.give_shows_back()
        return self._stopping and (self._leaving or not self._carried.list())

    def _connect(self) -> bool:
        """Register; a hub that is away is waited for, and a wrong one is refused."""
        while not self._stopping:
            try:
                if self._database is None:
                    self._database = open_database(self._db, create=False, long_lived=True)
                database = self._database
                _check_engine(self._db)
                database.write(lambda conn: register_worker(conn, self._me))
                self._carried.open(database, self._me.id)
                self._note_back()
                return True
            except ServerRefused:
                raise
            except AWAY as error:
                self._note_away(error)
                self._wakeup.wait(_RETRY_SECONDS)
        return False

    def _leave(self) -> None:
        with suppress(LionError):
            assert self._database is not None
            self._database.write(lambda conn: stop_worker(conn, self._me.id))

    def _note_away(self, error: LionError) -> None:
        if not self._is_away:
            self._is_away = True
            self._say(f"{error.message}. Waiting until the hub is back; nothing is lost.")

    def _note_back(self) -> None:
        if self._is_away:
            self._is_away = False
            self._say("The hub is back.")

    def _try(self, work: Callable[[], T]) -> T | None:
        """Do something that may be left out: the hub may be away, and no error of it ends the worker."""
        try:
            return work()
        except AWAY as error:
            self._note_away(error)
        except LionError as error:
            self._say(error.message)
        except Exception:
            self._say(traceback.format_exc())
        return None

    def _settle(self) -> None:
        """Record the end of runs whose processes were killed here, as those of orders that were given away."""
        if time.monotonic() >= self._settle_at:
            self._settle_at = time.monotonic() + _SETTLE_SECONDS
            assert self._database is not None
            for notice in settle_dead_runs(self._database):
                self._say(notice)

    # ── taking ──

    def _take(self) -> int:
        """Take what waits and fits; returns the number of orders taken."""
        if self._takes_nothing():
            return 0
        assert self._database is not None
        taken = 0
        waiting = self._database.read(list_waiting)
        self._report_other_shapes(waiting)
        for order in sorted(waiting, key=lambda order: _FIRST.index(order.work)):
            if self._takes_nothing():
                break
            has_room = not order.work.takes_place or self.plays < self._me.at_once
            if not has_room or not can_take(self._me, order.needs, order.shape):
                continue
            asked_at = clock()
            try:
                mine = self._database.write(partial(self._take_one, order=order))
            except AWAY:
                raise
            except LionError as error:  # the others do not wait for this one
                if order.id not in self._refused:
                    self._refused.add(order.id)
                    self._say(f"{name_of(order)}: {error.message}")
                continue
            if mine is not None:
                point("worker.taken")
                self._carried.begin(mine, asked_at)
                taken += 1
        return taken

    def _take_one(self, conn: Connection, order: WorkOrder) -> WorkOrder | None:
        is_free = beat_worker(conn, self._me.id) is False  # it drains, or was removed until its next beat
        return take_order(conn, order, self._me.id) if is_free else None

    def _report_other_shapes(self, waiting: list[WorkOrder]) -> None:
        for shape in {order.shape for order in waiting} - {SHAPE} - self._other_shapes:
            self._other_shapes.add(shape)
            self._say(
                f"Orders of another version of Lion Studio wait ({shape}, this worker has {SHAPE}); it takes none."
            )

    def _adopt(self) -> None:
        """Go on with the orders that an earlier process of this worker had."""
        assert self._database is not None
        database = self._database
        while (taken := self._try(lambda: database.read(partial(list_taken, worker_id=self._me.id)))) is None:
            time.sleep(_RETRY_SECONDS)
            if self._stopping:
                return
        for order in taken:
            self._say(f"Going on with {name_of(order)}")
            self._carried.begin(order, float("-inf"))

    # ── threads ──

    def _keep(self, loop: Callable[[], None]) -> None:
        """Run a thread that must not end: without its renewals, everything here would be given away."""
        while True:
            self._try(loop)
            time.sleep(_RETRY_SECONDS)

    def _renew(self) -> None:
        """Renew all leases every beat, on a connection of its own: no other write delays it."""
        with open_database(self._db, create=False) as database:
            while True:
                began = clock()
                self._try(partial(self._beat, database))
                time.sleep(max(0.05, BEAT_SECONDS - (clock() - began)))

    def _beat(self, database: Database) -> None:
        held = [carried for carried in self._carried.list() if not carried.is_lost]

        def work(conn: Connection) -> tuple[bool | None, dict[str, bool], dict[str, str | None]]:
            draining = beat_worker(conn, self._me.id, stopping=self._stopping)
            if draining is None:  # it was removed from the list while it was away
                with suppress(Conflict):  # its name has another worker now; the leases are renewed all the same
                    register_worker(conn, self._me)
            if self._me.machine_id is not None:  # its runs are alive
                see_machine(conn, self._me.machine_id, host_name() or self._me.name, self._me.version)
            kept = {one.order.id: renew_order(conn, one.order.id, one.order.fence) for one in held}
            stops = {order.id: order.stop for order in list_taken(conn, self._me.id)} if held else {}
            return draining, kept, stops

        asked_at = clock()
        draining, kept, stops = database.write(work)
        self._note_back()
        if bool(draining) != self._draining:
            self._draining = bool(draining)
            undo = f"li workers drain {shlex.quote(self._me.name)} --undo"
            self._say(f"Draining: takes nothing new. Undo: {undo}" if draining else "This worker takes orders again.")
            self._wakeup.set()
        for carried in held:
            if kept[carried.order.id]:
                carried.renewed_at = asked_at
            elif not carried.done.is_set():
                carried.lose()
            carried.stop = carried.stop or stops.get(carried.order.id)

    def _sweep(self) -> None:
        sweeper = Sweeper()
        with open_database(self._db, create=False) as database:
            while True:
                try:
                    taken = database.read(list_taken)
                    ours = {carried.order.id for carried in self._carried.list()}
                    for order in sweeper.look(taken, ours, clock()):
                        if database.write(partial(give_away, order=order)):
                            self._say(f"{name_of(order)} was taken from its worker, which stopped renewing it.")
                except LionError:
                    sweeper.forget()
                time.sleep(SWEEP_SECONDS)

    def _follow(self) -> None:
        """Wake up by the change feed: new orders, answers, stops, and decisions of people."""
        while True:
            try:
                with open_tail(self._db) as tail:
                    while True:
                        changes = tail.wait(BEAT_SECONDS)
                        if changes.rows or changes.resync:
                            self._take_in(changes)
            except LionError:
                time.sleep(_RETRY_SECONDS)

    def _take_in(self, changes: Changes) -> None:
        kinds = {change.entity for change in changes.rows}
        if changes.resync or kinds & {"order", "worker"}:
            self._wakeup.set()
            self._read_stops()
        ordered = {change.parent_id for change in changes.rows if change.entity == "order"}  # topics
        row_changed = changes.resync or bool(kinds & {"show", "question"})
        for carried in self._carried.list():
            if carried.show is not None and (row_changed or carried.order.topic in ordered):
                carried.show.wake(row_changed=row_changed)

    def _read_stops(self) -> None:
        held = self._carried.list()
        if not held or self._database is None:
            return
        stops = {order.id: order.stop for order in self._database.read(lambda conn: list_taken(conn, self._me.id))}
        for carried in held:
            carried.stop = carried.stop or stops.get(carried.order.id)


def _check_engine(path: str) -> None:
    version = check_engine(path)
    if version.current is None:
        raise ServerRefused(f"{path}: this role may not use the engine of shows", hint="use the role that owns the hub")
    if version.current < version.latest:
        raise WrongVersion(f"the engine of {path} has no tables of this version yet", hint="li hub init")
