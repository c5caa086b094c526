"""The engine of a directed show: which orders it places, adopts and waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from tests.support.builders import read, write
from tests.support.workers import play

from lionstudio.model.shows.plan import Plan, PlannedPlay
from lionstudio.shows.director import commands
from lionstudio.shows.process.engine import SHAPE
from lionstudio.shows.records.decision_rows import put_abort
from lionstudio.shows.workers.direct import TeamEngine
from lionstudio.shows.workers.fenced_database import FencedDatabase
from lionstudio.shows.workers.team_show import DirectedShow
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.workers import orders
from lionstudio.state.workers.orders import Work, WorkOrder, answer_order, take_order

T = TypeVar("T")
ENDED = {"event": "AttemptEnded", "play": "add", "outcome": "completed", "reason": None}


class Director:
    """The engine of one director of the show calc, and the answers that it passed on."""

    def __init__(self, db: Database, number: int) -> None:
        order_id = f"show/calc~{number}"
        write(db, orders.place_order, order_id, "calc", None, Work.SHOW, {}, shape=SHAPE)
        order = take(db, order_id)
        plan = Plan(topic="calc", plays=(PlannedPlay(name="add"),))
        show: Any = SimpleNamespace(plan=plan, stop_reason=lambda: None)
        hub: Any = None
        self.database = FencedDatabase(db, order.id, order.fence)
        self.engine = TeamEngine(hub, self.database, order, show)
        self.answers: dict[str, Any] = {}

    def order(self, job: str, command: commands.Command) -> None:
        self.engine.order(job, command, lambda command: None, self.answers.__setitem__)


def take(db: Database, order_id: str) -> WorkOrder:
    order = read(db, orders.find_order, order_id)
    assert order is not None
    taken = write(db, take_order, order, "worker")
    assert taken is not None
    return taken


def place(db: Database, order_id: str, work: Work, command: dict[str, Any]) -> WorkOrder:
    """An order of an earlier director, that a worker carries out."""
    name = command.get("play")
    write(db, orders.place_order, order_id, "calc", name, work, command, shape=SHAPE)
    return take(db, order_id)


@pytest.fixture
def db(path: str) -> Any:
    with Database(path) as database:
        play(database, "calc", "add")
        yield database


def test_order_of_final_gates_waits_until_those_of_an_earlier_director_have_ended(db: Database) -> None:
    old = place(db, "show/calc~1/9", Work.FINAL_GATES, {"command": "RunFinalGates"})
    director = Director(db, 2)

    director.order("1", commands.RunFinalGates())

    stopped = read(db, orders.find_order, old.id)
    assert stopped is not None
    assert stopped.stop is not None
    assert read(db, orders.find_order, "show/calc~2/1") is None
    write(db, answer_order, old.id, old.fence, {"event": "FinalGatesEvaluated", "passed": False})
    director.engine.look()
    assert read(db, orders.find_order, "show/calc~2/1") is not None
    assert director.answers == {}


def test_order_of_an_attempt_that_ended_after_its_director_gave_up_takes_its_answer(db: Database) -> None:
    command = {"command": "RunAttempt", "play": "add", "attempt": 1}
    old = place(db, "show/calc~1/2", Work.ATTEMPT, command)
    write(db, answer_order, old.id, old.fence, ENDED)
    director = Director(db, 2)

    director.order("1", commands.RunAttempt("add", 1))

    assert director.answers == {"1": ENDED}
    assert read(db, orders.find_order, "show/calc~2/1") is None


@pytest.mark.parametrize("change", [{"attempt": 2}, {"outcome": "limited"}, {"stop": "aborted"}])
def test_order_of_an_attempt_is_new_after_one_that_a_director_has_read(db: Database, change: dict[str, Any]) -> None:
    command = {"command": "RunAttempt", "play": "add", "attempt": 1}
    old = place(db, "show/calc~1/2", Work.ATTEMPT, command)
    if "stop" in change:
        write(db, orders.stop_order, old.id, "the show was aborted")
    write(db, answer_order, old.id, old.fence, {**ENDED, "outcome": change.get("outcome", "completed")})
    director = Director(db, 2)

    director.order("1", commands.RunAttempt("add", change.get("attempt", 1)))

    assert director.answers == {}
    assert read(db, orders.find_order, "show/calc~2/1") is not None


def test_order_that_is_placed_by_two_threads_at_once_stops_no_later_one(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    director = Director(db, 2)
    old = place(db, "show/calc~1/9", Work.MERGE, {"command": "MergePlay", "play": "add"})
    director.order("1", commands.StopAttempt("add"))
    write(db, answer_order, old.id, old.fence, {})
    begun, ended = threading.Event(), threading.Event()
    fast = director.database.write

    def slow_in_listener(work: Callable[[Connection], T]) -> T:
        if threading.current_thread().name == "listener":
            begun.set()
            ended.wait(0.3)
        return fast(work)

    monkeypatch.setattr(director.database, "write", slow_in_listener)
    listener = threading.Thread(target=director.engine.look, name="listener")
    listener.start()
    begun.wait(10)

    director.engine.look()
    director.order("2", commands.RunGates("add", 1))
    ended.set()
    listener.join()

    assert list(director.answers) == ["1"]
    later = read(db, orders.find_order, "show/calc~2/2")
    assert later is not None
    assert later.stop is None


def test_director_stops_waiting_for_a_remote_when_its_show_was_aborted(db: Database) -> None:
    """While it opens the show, nothing else looks."""
    play(db, "calc", "add")
    director, is_over = Director(db, 1), [False]
    director.database.is_over = lambda: is_over[0]
    show = object.__new__(DirectedShow)
    show.topic, show.show_dir, show.database = "calc", "/nowhere", director.database
    assert show.why_stop_waiting() is None

    write(db, put_abort, "calc", None, "ann", {})
    assert show.why_stop_waiting() == "the show was aborted"
    is_over[0] = True
    assert show.why_stop_waiting() == "the worker leaves the show"
