"""Open orders of shows that workers play: who has them, and why others wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.humanize import short_id
from lionstudio.settings import Settings
from lionstudio.state.backends import is_server
from lionstudio.state.workers.orders import WorkOrder, list_orders
from lionstudio.state.workers.waits import OrderWait, count_loads, explain_wait
from lionstudio.state.workers.workers import Worker, list_workers


class TeamOrders(NamedTuple):
    """Open orders, of one show or of all, and the workers of the hub."""

    orders: list[WorkOrder]
    workers: list[Worker]
    loads: Mapping[str, int]  # by worker: its orders of all shows

    def name(self, order: WorkOrder) -> str | None:
        """The name of the worker that has an order."""
        names = {worker.id: worker.name for worker in self.workers}
        return None if order.worker_id is None else names.get(order.worker_id, short_id(order.worker_id))

    @property
    def director(self) -> WorkOrder | None:
        return next((order for order in self.orders if order.play is None and order.work == "show"), None)

    @property
    def waiting(self) -> list[WorkOrder]:
        return [order for order in self.orders if order.worker_id is None]

    def wait(self, order: WorkOrder) -> OrderWait:
        """Explain why no worker has taken an order."""
        return explain_wait(order, self.workers, self.loads)

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
                "waits": None if order.worker_id is not None else self.wait(order).text,
            }
            for order in self.orders
        ]


def load_team_orders(settings: Settings, topic: str) -> TeamOrders:
    """The orders of a show; none without a hub."""
    if not is_server(settings.db):
        return TeamOrders([], [], {})
    with db_access.reading(settings.db) as conn:
        every = list_orders(conn)
        orders = [order for order in every if order.topic == topic]
        return TeamOrders(orders, list_workers(conn) if orders else [], count_loads(every))


def name_of(order: WorkOrder) -> str:
    return f"{order.topic}/{order.play} ({order.work})" if order.play else f"{order.topic} ({order.work})"
