"""`li workers ls`: list the workers of the hub, and the orders that wait for one."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, iso, short_id, span
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import TONES, is_terminal, say, styles_for, width_of
from lionstudio.cli.workers._hub import require_hub
from lionstudio.cli.workers._orders import TeamOrders, name_of
from lionstudio.model.status.worker_state import WORKERS, WorkerStatus, worker_status
from lionstudio.state.workers.orders import WorkOrder, list_orders
from lionstudio.state.workers.waits import count_loads
from lionstudio.state.workers.workers import Worker, list_workers

DESCRIPTION = """\
List the workers of the hub with their labels, load, version and last sign of life, and the orders that no worker has
taken yet, with the reason."""
EXAMPLES = (
    ("li workers ls", "workers and what waits for them"),
    ("li workers ls --json | jq '.workers[] | {name, orders}'", "for a script"),
)
_COLUMNS = (
    Column("NAME", narrowest=12),
    Column("ID", rank=3),
    Column("STATE"),
    Column("LOAD", right=True),
    Column("LABELS", narrowest=10, rank=2),
    Column("SEEN", right=True, rank=1),
    Column("VERSION", rank=4),
    Column("WORKS ON", narrowest=20),
)


def register(parser: argparse.ArgumentParser) -> None:
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    require_hub(settings)
    with db_access.reading(settings.db) as conn:
        workers, orders = list_workers(conn), list_orders(conn)
    team = TeamOrders(orders, workers, count_loads(orders))
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        listed = [worker_wire(worker, orders) for worker in workers]
        print_json({"workers": listed, "waiting": [order_wire(order, team) for order in team.waiting]})
        return 0
    if is_terminal():
        paint = styles_for(sys.stdout, refused=args.no_color)
        rows = [_cells(worker, team) for worker in workers]
        emit_lines(render(_COLUMNS, rows, width_of(sys.stdout), paint) if rows else [])
    else:
        emit("".join("\t".join(_plain(worker, team)) + "\n" for worker in workers))
    if not workers:
        say("No worker is connected. Start one on any machine: li worker", quiet=args.quiet)
    for order in team.waiting:
        say(f"{inline(name_of(order))} waits: {inline(team.wait(order).text)}", quiet=args.quiet)
    return 0


def state_of(worker: Worker) -> WorkerStatus:
    is_stopped = worker.stopped_at is not None
    return worker_status(
        is_stopped=is_stopped,
        is_fresh=worker.is_fresh,
        stopping=worker.stopping,
        draining=worker.draining,
        busy=worker.busy,
    )


def _orders_of(worker: Worker, orders: list[WorkOrder]) -> list[WorkOrder]:
    return [order for order in orders if order.worker_id == worker.id]


def worker_wire(worker: Worker, orders: list[WorkOrder]) -> dict[str, Any]:
    return {
        "id": worker.id,
        "name": worker.name,
        "machine_id": worker.machine_id,
        "state": state_of(worker),
        "labels": list(worker.labels),
        "at_once": worker.at_once,
        "version": worker.version,
        "shape": worker.shape,
        "sandbox": worker.sandbox,
        "draining": worker.draining,
        "stopping": worker.stopping,
        "started_at": worker.started_at,
        "seen_at": worker.seen_at,
        "silent_seconds": round(worker.silent_seconds, 3),
        "stopped_at": worker.stopped_at,
        "orders": [_held_wire(order) for order in _orders_of(worker, orders)],
    }


def _held_wire(order: WorkOrder) -> dict[str, Any]:
    names = ("id", "topic", "play", "fence", "taken_at")
    return {**{name: getattr(order, name) for name in names}, "work": str(order.work)}


def order_wire(order: WorkOrder, team: TeamOrders) -> dict[str, Any]:
    return {
        "id": order.id,
        "topic": order.topic,
        "play": order.play,
        "work": str(order.work),
        "needs": list(order.needs),
        "ordered_at": order.ordered_at,
        "why": team.wait(order).text,
    }


def _load(worker: Worker, team: TeamOrders) -> str:
    return f"{team.loads.get(worker.id, 0)}/{worker.at_once}"


def _seen(worker: Worker) -> str:
    """Its last sign of life; of one that is silent in seconds, because it counts as lost within the first minute."""
    now = time.time()
    seconds = worker.silent_seconds
    return ago(now - seconds, now) if worker.is_fresh or seconds >= 60 else f"{span(seconds)} ago"


def _cells(worker: Worker, team: TeamOrders) -> list[Cell]:
    state = state_of(worker)
    return [
        Cell(inline(worker.name)),
        Cell(inline(short_id(worker.id)), "dim"),
        Cell(WORKERS[state].label, TONES[WORKERS[state].tone]),
        Cell(_load(worker, team)),
        Cell(inline(",".join(worker.labels))),
        Cell(_seen(worker)),
        Cell(inline(worker.version), "dim"),
        Cell(inline(", ".join(name_of(order) for order in _orders_of(worker, team.orders))), "dim"),
    ]


def _plain(worker: Worker, team: TeamOrders) -> list[str]:
    seen, held = iso(worker.seen_at) or "", ",".join(order.id for order in _orders_of(worker, team.orders))
    cells = (worker.id, worker.name, state_of(worker), _load(worker, team), ",".join(worker.labels), seen)
    return [inline(cell) for cell in (*cells, worker.version, held)]
