"""Workers and waiting orders as the API returns them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from lionstudio.model.status.worker_state import worker_state
from lionstudio.state.connection import Connection
from lionstudio.state.hub.machines import list_machines, name_machines
from lionstudio.state.workers.held_orders import HeldOrder, list_held_orders
from lionstudio.state.workers.orders import WorkOrder, list_orders
from lionstudio.state.workers.waits import count_loads, explain_wait
from lionstudio.state.workers.workers import Worker, list_workers
from lionstudio.version import VERSION

_MOST_WAITING = 200


def workers_json(conn: Connection) -> dict[str, Any]:
    """All workers with their orders, and the orders that wait."""
    workers, orders, held = list_workers(conn), list_orders(conn), defaultdict[str, list[HeldOrder]](list)
    for order in list_held_orders(conn):
        held[order.worker_id].append(order)
    machines, now = name_machines(list_machines(conn)), time.time()
    waiting, loads = [order for order in orders if order.worker_id is None], count_loads(orders)
    return {
        "workers": [
            _worker_json(worker, held[worker.id], loads[worker.id], machines.get(worker.machine_id or ""), now)
            for worker in workers
        ],
        "waiting": [_waiting_json(order, workers, loads) for order in waiting[:_MOST_WAITING]],
        "waiting_total": len(waiting),
    }


def _worker_json(worker: Worker, orders: list[HeldOrder], load: int, machine: str | None, now: float) -> dict[str, Any]:
    state = worker_state(
        is_stopped=worker.stopped_at is not None,
        is_fresh=worker.is_fresh,
        stopping=worker.stopping,
        draining=worker.draining,
        busy=len(orders),
        now=now,
    )
    return {
        "id": worker.id,
        "name": worker.name,
        "machine_id": worker.machine_id,
        "machine_name": machine,
        "labels": list(worker.labels),
        "at_once": worker.at_once,
        "load": load,
        "version": worker.version,
        "is_same_version": worker.version == VERSION,
        "sandbox": worker.sandbox,
        "draining": worker.draining,
        "stopping": worker.stopping,
        "started_at": worker.started_at,
        "seen_at": worker.seen_at,
        "silent_seconds": max(0.0, worker.silent_seconds),
        "stopped_at": worker.stopped_at,
        "is_connected": worker.is_fresh,
        "orders": [_order_json(order) for order in orders],
        "state": state.to_dict(),
    }


def _order_json(order: HeldOrder) -> dict[str, Any]:
    return {name: value for name, value in order._asdict().items() if name != "worker_id"}


def _waiting_json(order: WorkOrder, workers: list[Worker], loads: Mapping[str, int]) -> dict[str, Any]:
    wait = explain_wait(order, workers, loads)
    return {
        "id": order.id,
        "topic": order.topic,
        "play": order.play,
        "work": str(order.work),
        "needs": list(order.needs),
        "ordered_at": order.ordered_at,
        "wait": {
            "code": str(wait.code),
            "text": wait.text,
            "missing": list(wait.missing),
            "needs_person": wait.needs_person,
        },
    }
