"""Orders: taken by one worker at a time, renewed by beats, refused to whoever lost one."""

from __future__ import annotations

import pytest
from tests.support.builders import read, sql, write

from lionstudio.errors import Conflict
from lionstudio.model.ids import new_id
from lionstudio.model.shows.show import Play, Show
from lionstudio.state.database import Database
from lionstudio.state.shows import get_play, get_show, put_play, put_show
from lionstudio.state.workers import orders, workers
from lionstudio.state.workers.orders import OrderLost, Work, WorkOrder
from lionstudio.state.workers.workers import Worker

SHAPE = "shows-test"


def _worker(name: str, *labels: str) -> Worker:
    return Worker(id=f"worker-{name}", name=name, labels=labels, at_once=2, version="1", shape=SHAPE)


@pytest.fixture
def order(db: Database) -> WorkOrder:
    """An attempt of a play that waits for a worker."""
    show = write(db, put_show, Show(id=new_id(), topic="calc", show_dir="/shows/calc", created_at=1.0))
    write(db, put_play, Play(id=new_id(), show_id=show.id, name="add", created_at=1.0))
    write(db, orders.place_order, "calc/1", "calc", "add", Work.ATTEMPT, {"play": "add"}, needs=["gpu"], shape=SHAPE)
    (waiting,) = read(db, orders.list_waiting)
    return waiting


def _take(db: Database, order: WorkOrder, worker: str) -> WorkOrder | None:
    return write(db, orders.take_order, order, worker)


def test_take_order_raises_the_fence_of_the_play_once_per_worker(db: Database, order: WorkOrder) -> None:
    first = _take(db, order, "a")

    assert first is not None
    assert (first.worker_id, first.fence, first.needs) == ("a", 1, ("gpu",))
    assert _take(db, order, "b") is None
    show = read(db, get_show, "calc")
    assert read(db, get_play, show.id, "add").fence == 1


def test_place_order_twice_is_once(db: Database, order: WorkOrder) -> None:
    write(db, orders.place_order, order.id, "calc", "add", Work.ATTEMPT, {"play": "other"}, shape=SHAPE)

    assert read(db, orders.list_waiting) == [order]


def test_order_given_away_refuses_every_write_of_its_first_worker(db: Database, order: WorkOrder) -> None:
    first = _take(db, order, "a")
    assert first is not None
    assert write(db, orders.renew_order, order.id, 1) is True
    stale = write(db, orders.give_away, first)  # it was renewed since
    current = read(db, orders.find_order, order.id)
    assert current is not None
    given = write(db, orders.give_away, current)

    assert (stale, given) == (False, True)
    assert write(db, orders.renew_order, order.id, 1) is False
    with pytest.raises(OrderLost):
        write(db, orders.require_order, order.id, 1)
    second = _take(db, order, "b")
    assert second is not None
    assert second.fence == 2
    with pytest.raises(OrderLost):
        write(db, orders.answer_order, order.id, 1, {"event": "stale"})
    write(db, orders.answer_order, order.id, 2, {"event": "right"})
    ended = read(db, orders.find_order, order.id)
    assert ended is not None
    assert ended.answer == {"event": "right"}
    assert read(db, orders.list_orders, "calc") == []


def test_play_keeps_its_fence_when_its_row_is_written(db: Database, order: WorkOrder) -> None:
    _take(db, order, "a")
    show = read(db, get_show, "calc")
    play = read(db, get_play, show.id, "add")

    write(db, put_play, play)

    assert read(db, get_play, show.id, "add").fence == 1


def test_register_worker_refuses_a_second_one_of_the_same_name(db: Database) -> None:
    write(db, workers.register_worker, _worker("mars", "gpu"))
    other = Worker(id="another", name="mars", labels=(), at_once=1, version="1", shape=SHAPE)

    with pytest.raises(Conflict, match="named mars"):
        write(db, workers.register_worker, other)
    write(db, workers.stop_worker, "worker-mars")
    write(db, workers.register_worker, other)
    assert [worker.is_fresh for worker in read(db, workers.list_workers)] == [True, False]


def test_worker_is_not_connected_because_the_clock_of_the_hub_was_set_back(db: Database) -> None:
    write(db, workers.register_worker, _worker("mars"))
    sql(db, "UPDATE workers SET seen_at = seen_at + 86400")

    write(db, workers.register_worker, Worker(id="b", name="mars", labels=(), at_once=1, version="1", shape=SHAPE))

    assert {worker.id: worker.is_fresh for worker in read(db, workers.list_workers)} == {
        "worker-mars": False,
        "b": True,
    }
    write(db, workers.remove_worker, "worker-mars")


def test_drain_outlives_a_restart_of_the_worker(db: Database) -> None:
    write(db, workers.register_worker, _worker("mars", "gpu"))
    write(db, workers.drain_worker, "worker-mars")
    write(db, workers.register_worker, _worker("mars"))

    assert write(db, workers.beat_worker, "worker-mars") is True
    assert workers.can_take(read(db, workers.get_worker, "mars"), [], SHAPE) is False
    write(db, workers.drain_worker, "worker-mars", draining=False)
    assert workers.can_take(read(db, workers.get_worker, "mars"), ["gpu"], SHAPE) is False
    assert workers.can_take(read(db, workers.get_worker, "mars"), [], "another") is False
    assert workers.can_take(read(db, workers.get_worker, "mars"), [], SHAPE) is True


def test_stop_of_a_worker_is_known_until_it_starts_again(db: Database) -> None:
    write(db, workers.register_worker, _worker("mars"))
    write(db, lambda conn: workers.beat_worker(conn, "worker-mars", stopping=True))
    assert read(db, workers.get_worker, "mars").stopping

    write(db, workers.register_worker, _worker("mars"))
    assert not read(db, workers.get_worker, "mars").stopping


def test_beat_of_a_removed_worker_says_so(db: Database) -> None:
    assert write(db, workers.beat_worker, "gone") is None


@pytest.mark.parametrize("value", ["5", "null", "not json", '{"gpu": 1}', '[["gpu"]]'])
def test_order_with_unreadable_labels_or_command_fits_no_worker(db: Database, order: WorkOrder, value: str) -> None:
    sql(db, "UPDATE orders SET needs = ?, command = ?", (value, "[5]"))
    write(db, workers.register_worker, _worker("a", "gpu"))
    sql(db, "UPDATE workers SET labels = ?", (value,))

    (waiting,) = read(db, orders.list_waiting)
    (worker,) = read(db, workers.list_workers)

    unreadable = (f"unreadable: {value}",)
    assert (waiting.needs, waiting.command, worker.labels) == (unreadable, {}, unreadable)
