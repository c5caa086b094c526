"""The worker process: what an error of the hub, or of its own, leaves behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support import workers as rows

from lionstudio.errors import CorruptStore, StorageFailed
from lionstudio.shows.workers.carried_orders import Carried, CarriedOrders
from lionstudio.shows.workers.worker import WorkerProcess
from lionstudio.state.database import Database
from lionstudio.state.workers.orders import Work, WorkOrder
from lionstudio.state.workers.workers import Worker


@pytest.fixture
def order(path: str) -> Iterator[WorkOrder]:
    """An attempt that the worker one has taken."""
    with Database(path) as database:
        rows.play(database, "calc", "add")
        yield rows.take(database, rows.order(database, "calc", "add", Work.ATTEMPT), "one")


def place_on(path: str) -> Any:
    return SimpleNamespace(settings=SimpleNamespace(db=path))


def test_worker_goes_on_after_an_error_of_its_own(path: str) -> None:
    lines: list[str] = []
    me = Worker(id="one", name="one", labels=(), at_once=1, version="1", shape=rows.SHAPE)
    worker = WorkerProcess(place_on(path), me, lines.append)

    assert worker._try(lambda: 1 // 0) is None

    assert "ZeroDivisionError" in lines[0]


def test_order_that_can_be_neither_started_nor_answered_is_not_renewed(
    path: str, order: WorkOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    carried_orders = CarriedOrders(place_on(path), lambda line: None, ended.set)

    def refuse(_: Carried) -> None:
        raise CorruptStore("the engine holds a row that is not JSON")

    def fail(_: Carried, answer: object) -> None:
        raise StorageFailed("the disk of the hub is full")

    monkeypatch.setattr(carried_orders, "_start_workflow", refuse)
    monkeypatch.setattr(carried_orders, "_answer", fail)
    with Database(path) as carried_orders._database:
        carried_orders.begin(order, 0.0)
        assert ended.wait(10)

    assert carried_orders.list() == []
