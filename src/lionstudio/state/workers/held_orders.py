"""The orders that workers carry out now, with the run of each play, for pages."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.state.connection import Connection


class HeldOrder(NamedTuple):
    """An order with its worker, and the session of its play."""

    worker_id: str
    id: str
    topic: str
    play: str | None
    work: str
    fence: int
    since: float | None
    stop: str | None
    session_id: str | None


_HELD = """
SELECT o.worker_id, o.id, o.topic, o.play, o.work, o.fence, o.taken_at, o.stop, p.session_id
  FROM orders o
  LEFT JOIN shows s ON s.topic = o.topic
  LEFT JOIN plays p ON p.show_id = s.id AND p.name = o.play
 WHERE o.ended_at IS NULL AND o.worker_id IS NOT NULL
 ORDER BY o.taken_at, o.id
"""


def list_held_orders(conn: Connection) -> list[HeldOrder]:
    return [HeldOrder(*row) for row in conn.all(_HELD)]


_ANY = "SELECT 1 FROM workers LIMIT 1"


def has_workers(conn: Connection) -> bool:
    """Whether any worker is known, connected or not."""
    return conn.one(_ANY) is not None
