"""The workers of a hub: what each can do, and when it was seen last, by the clock of the hub."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from lionstudio.errors import Ambiguous, Conflict, NotFound
from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.state.connection import Connection

# Between two renewals of a lease. All other times follow from it; tests shorten it.
BEAT_SECONDS = float(os.environ.get("LIONAGI_TEST_BEAT_SECONDS") or 5.0)
LEASE_SECONDS = 4 * BEAT_SECONDS
FREEZE_SECONDS = LEASE_SECONDS / 2  # without a renewal, a supervisor freezes its agent
SILENCE_SECONDS = 3 * BEAT_SECONDS  # that a sweeper has watched itself; longer than FREEZE_SECONDS, so nothing is awake


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A worker; `silent_seconds` since it was seen, both by the clock of the database."""

    id: str
    name: str
    labels: tuple[str, ...]
    at_once: int
    version: str
    shape: str
    machine_id: str | None = None
    sandbox: str | None = None
    draining: bool = False  # a person wants it to take nothing new
    stopping: bool = False  # it ends when it has completed what it has
    started_at: float = 0.0
    seen_at: float = 0.0
    stopped_at: float | None = None
    silent_seconds: float = 0.0
    busy: int = 0  # orders that it has

    @property
    def is_fresh(self) -> bool:
        # the clock of the database may have been set back; who is connected is seen by the new one within a beat
        return self.stopped_at is None and abs(self.silent_seconds) <= LEASE_SECONDS


_SEE = """
INSERT INTO workers (id, machine_id, name, labels, at_once, version, shape, sandbox, started_at, seen_at)
VALUES (:id, :machine, :name, :labels, :at_once, :version, :shape, :sandbox,
        (julianday('now') - 2440587.5) * 86400.0, (julianday('now') - 2440587.5) * 86400.0)
ON CONFLICT (id) DO UPDATE SET
  machine_id = excluded.machine_id, name = excluded.name, labels = excluded.labels, at_once = excluded.at_once,
  version = excluded.version, shape = excluded.shape, sandbox = excluded.sandbox, started_at = excluded.started_at,
  seen_at = excluded.seen_at, stopping = 0, stopped_at = NULL
"""
_NAMESAKE = """
SELECT id FROM workers
 WHERE name = :name AND id <> :id AND stopped_at IS NULL
   AND abs((julianday('now') - 2440587.5) * 86400.0 - seen_at) <= :fresh
"""


def register_worker(conn: Connection, worker: Worker) -> None:
    """Record that a worker starts and keep its drain; Conflict while another one of this name is connected."""
    namesake = conn.value(_NAMESAKE, {"name": worker.name, "id": worker.id, "fresh": LEASE_SECONDS})
    if namesake is not None:
        raise Conflict(
            f"another worker named {worker.name} is connected", hint="choose another name: li worker --name NAME"
        )
    values = {
        "id": worker.id,
        "machine": worker.machine_id,
        "name": worker.name,
        "labels": dump(sorted(worker.labels)),
        "at_once": worker.at_once,
        "version": worker.version,
        "shape": worker.shape,
        "sandbox": worker.sandbox,
    }
    conn.execute(_SEE, values)


_BEAT = """
UPDATE workers SET seen_at = (julianday('now') - 2440587.5) * 86400.0, stopping = :stopping WHERE id = :id
RETURNING draining
"""


def beat_worker(conn: Connection, worker_id: str, *, stopping: bool = False) -> bool | None:
    """Record that a worker was seen now; return whether it is draining, None if it was removed."""
    row = conn.one(_BEAT, {"id": worker_id, "stopping": int(stopping)})
    return None if row is None else bool(row[0])


_STOP = "UPDATE workers SET stopped_at = (julianday('now') - 2440587.5) * 86400.0 WHERE id = :id"
_DRAIN = "UPDATE workers SET draining = :draining WHERE id = :id"
_REMOVE = "DELETE FROM workers WHERE id = :id"


def stop_worker(conn: Connection, worker_id: str) -> None:
    """Record that a worker has ended by itself."""
    conn.execute(_STOP, {"id": worker_id})


def drain_worker(conn: Connection, worker_id: str, *, draining: bool = True) -> None:
    """Set or clear the drain of a worker."""
    conn.execute(_DRAIN, {"id": worker_id, "draining": int(draining)})


def remove_worker(conn: Connection, text: str) -> Worker:
    """Remove a worker that is not connected and has nothing, by its name or id; return it."""
    worker = get_worker(conn, text)
    if worker.is_fresh:
        raise Conflict(f"worker {worker.name} is connected", hint="stop its `li worker` first")
    if worker.busy:
        raise Conflict(f"worker {worker.name} still has orders", hint="another worker takes them over: li workers ls")
    conn.execute(_REMOVE, {"id": worker.id})
    return worker


def read_labels(text: object) -> tuple[str, ...]:
    """Return the labels of a row; a value that is not a list of them is one label, which no worker can be given."""
    labels = load_or_keep(text)
    is_list = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
    return tuple(labels) if is_list else (f"unreadable: {text}",)


_LIST = """
SELECT w.id, w.machine_id, w.name, w.labels, w.at_once, w.version, w.shape, w.sandbox, w.draining, w.stopping,
       w.started_at, w.seen_at, w.stopped_at, (julianday('now') - 2440587.5) * 86400.0 - w.seen_at AS silent_seconds,
       (SELECT count(*) FROM orders o WHERE o.worker_id = w.id AND o.ended_at IS NULL) AS busy
  FROM workers w ORDER BY w.name, w.id
"""


def list_workers(conn: Connection) -> list[Worker]:
    rows = conn.dicts(_LIST)
    return [_from_row(row) for row in rows]


def _from_row(row: dict[str, Any]) -> Worker:
    flags = {name: bool(row[name]) for name in ("draining", "stopping")}
    return Worker(**{**row, **flags, "labels": read_labels(row["labels"])})


def get_worker(conn: Connection, text: str) -> Worker:
    """Return the worker with this name, id or start of an id."""
    workers = [worker for worker in list_workers(conn) if text in (worker.name, worker.id)]
    workers = workers or [worker for worker in list_workers(conn) if text and worker.id.startswith(text)]
    workers = [worker for worker in workers if worker.stopped_at is None] or workers  # not a namesake of long ago
    if not workers:
        raise NotFound(f"worker {text} does not exist", hint="li workers ls")
    if len(workers) > 1:
        candidates = [
            {
                "id": worker.id,
                "status": "connected" if worker.stopped_at is None else "stopped",
                "started_at": worker.started_at,
                "name": worker.name,
            }
            for worker in workers
        ]
        raise Ambiguous(f"{text} fits {len(workers)} workers", hint="li workers ls", candidates=candidates)
    return workers[0]


def can_take(worker: Worker, needs: Collection[str], shape: str) -> bool:
    """Return whether a worker may carry out an order with these needs, now or later."""
    return worker.shape == shape and set(needs) <= set(worker.labels) and not worker.draining
