"""Workers, orders and plays as rows, without a process behind them."""

from __future__ import annotations

from collections.abc import Collection

from tests.support.builders import sql, write

from lionstudio.model.shows.show import Play, Show
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.shows import find_show, put_play, put_show
from lionstudio.state.workers.orders import Work, WorkOrder, answer_order, find_order, place_order, take_order
from lionstudio.state.workers.workers import Worker, register_worker
from lionstudio.version import VERSION

SHAPE = "test"


def register(
    db: Database,
    worker_id: str,
    name: str,
    *,
    labels: Collection[str] = (),
    at_once: int = 4,
    shape: str = SHAPE,
    version: str = VERSION,
    machine_id: str | None = None,
    sandbox: str | None = "bwrap",
) -> None:
    """A worker that is there now."""
    worker = Worker(
        id=worker_id,
        name=name,
        labels=tuple(labels),
        at_once=at_once,
        version=version,
        shape=shape,
        machine_id=machine_id,
        sandbox=sandbox,
    )
    write(db, register_worker, worker)


def silence(db: Database, worker_id: str, seconds: float) -> None:
    """Make a worker one that was seen so long ago."""
    sql(db, "UPDATE workers SET seen_at = seen_at - ? WHERE id = ?", (seconds, worker_id))


def play(db: Database, topic: str, name: str, **fields: object) -> None:
    """A play of a show; the first one makes the show."""

    def work(conn: Connection) -> None:
        show = find_show(conn, topic) or put_show(conn, Show(topic=topic, show_dir=f"/nowhere/{topic}", goal="A goal"))
        put_play(conn, Play(**{"show_id": show.id, "name": name, **fields}))  # type: ignore[arg-type]

    db.write(work)


def order(
    db: Database, topic: str, name: str | None, work: Work, *, needs: Collection[str] = (), shape: str = SHAPE
) -> WorkOrder:
    """An order that waits."""
    order_id = "/".join(part for part in (topic, name, f"{work}~1") if part)
    write(db, place_order, order_id, topic, name, work, {}, needs=needs, shape=shape)
    placed = db.read(lambda conn: find_order(conn, order_id))
    assert placed is not None
    return placed


def take(db: Database, placed: WorkOrder, worker_id: str, *, ends: bool = False) -> WorkOrder:
    """Let a worker take an order, and end it where that is asked for."""
    taken = write(db, take_order, placed, worker_id)
    assert taken is not None
    if ends:
        write(db, answer_order, taken.id, taken.fence, {})
    return taken
