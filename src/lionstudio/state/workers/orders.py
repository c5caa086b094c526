"""Orders: work of a show that one worker at a time carries out, under a lease and a fence.

Taking an order raises the fence of its play. Every write of the worker names the order and the fence that it got
(`require_order` in the same transaction); once the order was given away, it can write nothing. A lease is renewed by
counting beats: a sweeper that has watched a number stand still for three beats gives the order away, whatever the
clocks say.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lionstudio.errors import IllegalTransition
from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.state.connection import Connection
from lionstudio.state.workers.workers import read_labels


class Work(StrEnum):
    """The kinds of orders."""

    SHOW = "show"  # direct the show to its end
    ATTEMPT = "attempt"  # prepare a checkout, run the agent, collect and push its work
    GATES = "gates"
    MERGE = "merge"
    FINAL_GATES = "final_gates"

    @property
    def takes_place(self) -> bool:
        """Whether it counts as one of the plays that a worker has at once: a director waits, a merge takes a moment."""
        return self not in (Work.SHOW, Work.MERGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOrder:
    """One piece of work; `worker_id` is None while it waits for a worker."""

    id: str
    topic: str
    play: str | None
    work: Work
    command: Mapping[str, Any]
    needs: tuple[str, ...]
    shape: str
    ordered_at: float
    worker_id: str | None
    fence: int
    beat: int
    taken_at: float | None
    renewed_at: float | None
    stop: str | None
    ended_at: float | None
    answer: Any


class OrderLost(IllegalTransition):
    """The order was given to another worker, or ended; the worker that carries it out writes nothing more."""


_PLACE = """
INSERT INTO orders (id, topic, play, work, command, needs, shape, ordered_at)
VALUES (:id, :topic, :play, :work, :command, :needs, :shape, (julianday('now') - 2440587.5) * 86400.0)
ON CONFLICT (id) DO NOTHING
"""


def place_order(
    conn: Connection,
    order_id: str,
    topic: str,
    play: str | None,
    work: Work,
    command: Mapping[str, Any],
    *,
    needs: Collection[str] = (),
    shape: str,
) -> None:
    """Add an order for any worker; placing it again changes nothing."""
    values = {"id": order_id, "topic": topic, "play": play, "work": str(work), "shape": shape}
    conn.execute(_PLACE, {**values, "command": dump(dict(command)), "needs": dump(sorted(needs))})


_COLUMNS = """
SELECT id, topic, play, work, command, needs, shape, ordered_at, worker_id, fence, beat, taken_at, renewed_at, stop,
       ended_at, answer
  FROM orders
"""


def _from_row(row: Mapping[str, Any]) -> WorkOrder:
    answer = None if row["answer"] is None else load_or_keep(row["answer"])
    command, needs = load_or_keep(row["command"]), read_labels(row["needs"])
    record = {"work": Work(row["work"]), "command": command if isinstance(command, dict) else {}, "answer": answer}
    return WorkOrder(**{**row, **record, "needs": needs})


def find_order(conn: Connection, order_id: str) -> WorkOrder | None:
    row = conn.first_dict(f"{_COLUMNS} WHERE id = :id", {"id": order_id})
    return None if row is None else _from_row(row)


def list_orders(conn: Connection, topic: str | None = None) -> list[WorkOrder]:
    """List the open orders, of all shows or of one, the oldest first."""
    if topic is None:
        rows = conn.dicts(f"{_COLUMNS} WHERE ended_at IS NULL ORDER BY ordered_at, id")
    else:
        rows = conn.dicts(
            f"{_COLUMNS} WHERE ended_at IS NULL AND topic = :topic ORDER BY ordered_at, id", {"topic": topic}
        )
    return [_from_row(row) for row in rows]


def list_waiting(conn: Connection) -> list[WorkOrder]:
    """List the orders that wait for a worker, the oldest first."""
    rows = conn.dicts(f"{_COLUMNS} WHERE ended_at IS NULL AND worker_id IS NULL ORDER BY ordered_at, id")
    return [_from_row(row) for row in rows]


def list_taken(conn: Connection, worker_id: str | None = None) -> list[WorkOrder]:
    """List the open orders that workers have, or that one worker has."""
    if worker_id is None:
        rows = conn.dicts(f"{_COLUMNS} WHERE ended_at IS NULL AND worker_id IS NOT NULL ORDER BY ordered_at, id")
    else:
        rows = conn.dicts(
            f"{_COLUMNS} WHERE ended_at IS NULL AND worker_id = :worker ORDER BY ordered_at, id", {"worker": worker_id}
        )
    return [_from_row(row) for row in rows]


_ANSWERED = """
SELECT id, answer FROM orders WHERE id IN (SELECT value FROM json_each(:ids)) AND ended_at IS NOT NULL
"""


def list_answers(conn: Connection, order_ids: Collection[str]) -> dict[str, Any]:
    """Return the answers of those of the orders that have ended; None for one that was cancelled."""
    rows = conn.all(_ANSWERED, {"ids": dump(list(order_ids))}) if order_ids else []
    return {str(id_): None if answer is None else load_or_keep(answer) for id_, answer in rows}


_LAST_ATTEMPT = " WHERE topic = :topic AND play = :play AND work = 'attempt' ORDER BY ordered_at DESC, id DESC LIMIT 1"


def find_last_attempt(conn: Connection, topic: str, play: str) -> WorkOrder | None:
    """Find the newest order of an attempt of a play, open or ended."""
    row = conn.first_dict(_COLUMNS + _LAST_ATTEMPT, {"topic": topic, "play": play})
    return None if row is None else _from_row(row)


_LAST_RUN = "SELECT count(*) FROM orders WHERE topic = :topic AND work = 'show'"


def next_show_order(conn: Connection, topic: str) -> str:
    """Return the id of the next order that directs a show: each resumes from the rows."""
    return f"show/{topic}~{int(conn.value(_LAST_RUN, {'topic': topic})) + 1}"


_OF_SHOW = " WHERE topic = :topic AND work = 'show' AND ended_at IS NULL ORDER BY ordered_at DESC LIMIT 1"


def find_show_order(conn: Connection, topic: str) -> WorkOrder | None:
    """Find the open order that directs a show."""
    row = conn.first_dict(_COLUMNS + _OF_SHOW, {"topic": topic})
    return None if row is None else _from_row(row)


_LAST_ANSWER = """
SELECT answer FROM orders WHERE topic = :topic AND work = 'show' AND ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1
"""


def find_director_error(conn: Connection, topic: str) -> str | None:
    """Return why the last director of a show gave up; None where it did not."""
    answer = conn.value(_LAST_ANSWER, {"topic": topic})
    record = None if answer is None else load_or_keep(answer)
    error = record.get("error") if isinstance(record, dict) else None
    return None if error is None else str(error)


_RAISE_PLAY = """
UPDATE plays SET fence = fence + 1
 WHERE name = :play AND show_id = (SELECT id FROM shows WHERE topic = :topic) RETURNING fence
"""
_TAKE = """
UPDATE orders SET worker_id = :worker, fence = :fence, beat = beat + 1,
       taken_at = (julianday('now') - 2440587.5) * 86400.0, renewed_at = (julianday('now') - 2440587.5) * 86400.0
 WHERE id = :id AND worker_id IS NULL AND ended_at IS NULL RETURNING id
"""


def take_order(conn: Connection, order: WorkOrder, worker_id: str) -> WorkOrder | None:
    """Take a waiting order under the next fence; None when another worker was faster."""
    current = find_order(conn, order.id)
    if current is None or current.worker_id is not None or current.ended_at is not None:
        return None
    raised = None
    if order.play is not None:
        raised = conn.value(_RAISE_PLAY, {"play": order.play, "topic": order.topic})
    fence = max(int(raised or 0), current.fence + 1)
    if conn.one(_TAKE, {"id": order.id, "worker": worker_id, "fence": fence}) is None:
        return None
    return find_order(conn, order.id)


_RENEW = """
UPDATE orders SET beat = beat + 1, renewed_at = (julianday('now') - 2440587.5) * 86400.0
 WHERE id = :id AND fence = :fence AND worker_id IS NOT NULL AND ended_at IS NULL RETURNING beat
"""


def renew_order(conn: Connection, order_id: str, fence: int) -> bool:
    """Renew a lease; False when the order was given away, stopped being ours, or ended."""
    return conn.one(_RENEW, {"id": order_id, "fence": fence}) is not None


_HELD = """
SELECT 1 FROM orders WHERE id = :id AND fence = :fence AND worker_id IS NOT NULL AND ended_at IS NULL
"""


def require_order(conn: Connection, order_id: str, fence: int) -> None:
    """Refuse to go on without the order; call it first in every transaction that writes for one."""
    if conn.one(_HELD, {"id": order_id, "fence": fence}) is None:
        raise OrderLost(f"order {order_id} was given to another worker", hint="li workers ls")


_ANSWER = """
UPDATE orders SET answer = :answer, ended_at = (julianday('now') - 2440587.5) * 86400.0
 WHERE id = :id AND fence = :fence AND worker_id IS NOT NULL AND ended_at IS NULL RETURNING id
"""


def answer_order(conn: Connection, order_id: str, fence: int, answer: Any) -> None:
    """End an order with its answer."""
    if conn.one(_ANSWER, {"id": order_id, "fence": fence, "answer": dump(answer)}) is None:
        raise OrderLost(f"order {order_id} was given to another worker", hint="li workers ls")


_GIVE_AWAY = """
UPDATE orders SET worker_id = NULL
 WHERE id = :id AND fence = :fence AND beat = :beat AND worker_id IS NOT NULL AND ended_at IS NULL RETURNING id
"""


def give_away(conn: Connection, order: WorkOrder) -> bool:
    """Take an order from a worker that did not renew it since it was read, so that another one can take it."""
    return conn.one(_GIVE_AWAY, {"id": order.id, "fence": order.fence, "beat": order.beat}) is not None


_RELEASE = """
UPDATE orders SET worker_id = NULL
 WHERE id = :id AND fence = :fence AND worker_id IS NOT NULL AND ended_at IS NULL RETURNING id
"""


def release_order(conn: Connection, order_id: str, fence: int) -> bool:
    """Give an order back, after everything of it has ended here."""
    return conn.one(_RELEASE, {"id": order_id, "fence": fence}) is not None


_STOP = """
UPDATE orders SET stop = coalesce(stop, :reason),
       ended_at = CASE WHEN worker_id IS NULL THEN (julianday('now') - 2440587.5) * 86400.0 END
 WHERE id = :id AND ended_at IS NULL AND (stop IS NULL OR worker_id IS NULL)
"""


def stop_order(conn: Connection, order_id: str, reason: str) -> None:
    """Ask the worker of an order to stop it; it still answers. One that no worker has ends at once, unanswered."""
    conn.execute(_STOP, {"id": order_id, "reason": reason})
