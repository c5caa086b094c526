"""The workers of one show: which one directs it, and which one has, or had, each play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lionstudio.state.connection import Connection
from lionstudio.state.workers.orders import Work, list_orders
from lionstudio.state.workers.waits import count_loads, explain_wait
from lionstudio.state.workers.workers import list_workers

_MOST_ID = 8  # characters of the id of a worker that was removed


class PlayWorker(NamedTuple):
    """The worker of the newest order, or the reason why the order waits for one."""

    order: str
    work: str
    worker_id: str | None
    name: str | None
    fence: int
    since: float | None
    is_open: bool  # it carries it out now, or the order waits
    wait: str | None = None
    wait_short: str | None = None
    needs_person: bool = False


class ShowWorkers(NamedTuple):
    """Both are empty for a show that runs on one machine."""

    director: PlayWorker | None
    plays: Mapping[str, PlayWorker]


_ORDERS = """
SELECT o.id, o.play, o.work, o.worker_id, w.name, o.fence, o.taken_at, o.ended_at
  FROM orders o LEFT JOIN workers w ON w.id = o.worker_id
 WHERE o.topic = :topic AND (o.ended_at IS NULL OR (o.work = 'attempt' AND o.worker_id IS NOT NULL))
 ORDER BY o.ended_at IS NULL, o.ordered_at, o.id
"""


def show_workers(conn: Connection, topic: str) -> ShowWorkers:
    """The open order of each play of a show, else its last attempt; and the order of its director."""
    director, plays = None, dict[str, PlayWorker]()
    for order_id, play, work, worker_id, name, fence, taken_at, ended_at in conn.all(_ORDERS, {"topic": topic}):
        shown = name or (None if worker_id is None else str(worker_id)[:_MOST_ID])
        newest = PlayWorker(order_id, work, worker_id, shown, int(fence), taken_at, ended_at is None)
        if play is not None:
            plays[play] = newest
        elif work == Work.SHOW:
            director = newest
    open_ones = [one for one in (director, *plays.values()) if one is not None and one.is_open]
    if all(one.worker_id is not None for one in open_ones):
        return ShowWorkers(director, plays)
    workers, orders = list_workers(conn), list_orders(conn)
    loads = count_loads(orders)
    waiting = [order for order in orders if order.topic == topic and order.worker_id is None]
    waits = {order.id: explain_wait(order, workers, loads) for order in waiting}

    def with_wait(one: PlayWorker) -> PlayWorker:
        wait = waits.get(one.order)
        return (
            one if wait is None else one._replace(wait=wait.text, wait_short=wait.short, needs_person=wait.needs_person)
        )

    return ShowWorkers(director and with_wait(director), {play: with_wait(one) for play, one in plays.items()})
