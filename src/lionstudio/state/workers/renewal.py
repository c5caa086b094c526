"""Renew one lease from a process of its own: one connection, one statement a beat, no waiting for long."""

from __future__ import annotations

from lionstudio.errors import LionError
from lionstudio.settings import is_url, without_password
from lionstudio.state.backends import open_database, open_writer, require_library
from lionstudio.state.connection import LIBRARY_ERRORS, Connection, translate
from lionstudio.state.workers.orders import find_order, release_order, renew_order
from lionstudio.state.workers.workers import BEAT_SECONDS

REQUEST_SECONDS = 0.6 * BEAT_SECONDS  # for an answer; two that time out still leave time before the freeze


class Renewal:
    """The lease of one order. Each request connects again if it must; LionError when the hub did not answer in time."""

    def __init__(self, db: str, order_id: str, fence: int) -> None:
        self._db, self._order_id, self._fence = db, order_id, fence
        self._conn: Connection | None = None

    def renew(self) -> bool:
        """Return whether the order is still ours: an answer of the hub."""
        try:
            if self._conn is None:
                self._conn = _connect(self._db)
            return renew_order(self._conn, self._order_id, self._fence)
        except LIBRARY_ERRORS as error:
            self.close()
            raise translate(error, self._db) from error
        except Exception:
            self.close()
            raise

    def why_lost(self) -> str:
        """Return a sentence for an order that we lost."""
        unknown = f"order {self._order_id} was held under fence {self._fence}, and is lost"
        try:
            order = None if self._conn is None else find_order(self._conn, self._order_id)
        except (LionError, *LIBRARY_ERRORS):
            self.close()
            return unknown
        if order is None:
            return unknown
        if order.ended_at is not None:
            return f"order {order.id} has ended" + (f": {order.stop}" if order.stop else "")
        if order.worker_id is None:
            return f"order {order.id} was taken from this worker"
        return f"order {order.id} was given to another worker (fence {order.fence}, ours was {self._fence})"

    def release(self) -> bool:
        """Give the order back, and tell those who wait for one."""
        with open_database(self._db, create=False) as database:
            return database.write(lambda conn: release_order(conn, self._order_id, self._fence))

    def close(self) -> None:
        if self._conn is not None:
            self._conn.close()
            self._conn = None


def _connect(db: str) -> Connection:
    if not is_url(db):
        return open_writer(db, create=False)
    require_library()
    from lionstudio.state.postgres.impatient import open_impatient

    return open_impatient(without_password(db), REQUEST_SECONDS)
