"""Open orders of shows that workers play: who has them, and why others wait."""

from __future__ import annotations

from typing import Any, NamedTuple

from lionstudio.cli._toolkit import db_access
from lionstudio.settings import Settings
from lionstudio.state.backends import is_server
from lionstudio.state.workers.orders import Order, list_orders
from lionstudio.state.workers.workers import Worker, list_workers

BUSY = "all workers that fit are busy"


class TeamOrders(NamedTuple):
    """The open orders of a show, and the workers of the hub."""

    orders: list[Order]
    workers: list[Worker]

    def name(self, order: Order) -> str | None:
        """The name of the worker that has an order."""
        names = {worker.id: worker.name for worker in self.workers}
        return None if order.worker_id is None else names.get(order.worker_id, order.worker_id[:8])

    def of_play(self, play: str) -> Order | None:
        return next((order for order in self.orders if order.play == play), None)

    @property
    def director(self) -> Order | None:
        return next((order for order in self.orders if order.play is None and order.work == "show"), None)

    @property
    def waiting(self) -> list[Order]:
        return [order for order in self.orders if order.worker_id is None]

    def wire(self) -> list[dict[str, Any]]:
        return [
            {
                "id": order.id,
                "play": order.play,
                "work": str(order.work),
                "worker": self.name(order),
                "worker_id": order.worker_id,
                "fence": order.fence,
                "needs": list(order.needs),
                "ordered_at": order.ordered_at,
                "taken_at": order.taken_at,
                "waits": None if order.worker_id is not None else why_waiting(order, self.workers),
            }
            for order in self.orders
        ]


def load_team_orders(settings: Settings, topic: str) -> TeamOrders:
    """The orders of a show; none without a hub."""
    if not is_server(settings.db):
        return TeamOrders([], [])
    with db_access.reading(settings.db) as conn:
        orders = list_orders(conn, topic)
        return TeamOrders(orders, list_workers(conn) if orders else [])


def name_of(order: Order) -> str:
    return f"{order.topic}/{order.play} ({order.work})" if order.play else f"{order.topic} ({order.work})"


def why_waiting(order: Order, workers: list[Worker]) -> str:
    """Why no worker has taken an order."""
    there = [worker for worker in workers if worker.is_fresh]
    if not there:
        return "no worker is connected"
    of_shape = [worker for worker in there if worker.shape == order.shape]
    if not of_shape:
        return "every worker has another version of Lion Studio"
    missing = [need for need in order.needs if not any(need in worker.labels for worker in of_shape)]
    if missing:
        return f"no worker has the label {', '.join(missing)}"
    fitting = [worker for worker in of_shape if set(order.needs) <= set(worker.labels)]
    if not fitting:
        return f"no worker has all of its labels: {', '.join(order.needs)}"
    return "all workers that fit are draining" if all(worker.draining for worker in fitting) else BUSY
