"""The database of one order: every write checks the fence, and waits for a hub that is away."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from lionstudio.errors import Busy
from lionstudio.state.connection import Connection, Unavailable
from lionstudio.state.database import Database
from lionstudio.state.workers.orders import OrderLost, require_order

T = TypeVar("T")
_RETRY_SECONDS = 0.5
AWAY = (Unavailable, Busy)  # the hub cannot be reached, starts, or is a standby


class FencedDatabase(Database):
    """Writes of one order, refused with OrderLost once another worker has it. Reads and writes wait for the hub."""

    rows_win = True

    def __init__(self, inner: Database, order_id: str, fence: int, is_over: Callable[[], bool] = lambda: False) -> None:
        self.path = inner.path
        self._inner = inner
        self._order_id, self._fence = order_id, fence
        self.is_over = is_over  # whether to stop waiting for the hub

    def write(self, work: Callable[[Connection], T]) -> T:
        def fenced(conn: Connection) -> T:
            require_order(conn, self._order_id, self._fence)
            return work(conn)

        return self.patiently(lambda: self._inner.write(fenced))

    def read(self, work: Callable[[Connection], T]) -> T:
        return self.patiently(lambda: self._inner.read(work))

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        with self._inner.reader() as conn:
            yield conn

    def patiently(self, work: Callable[[], T]) -> T:
        """Do something with the hub, again and again while it is away: all writes of an order may be repeated."""
        while True:
            try:
                return work()
            except AWAY as error:
                if self.is_over():
                    raise OrderLost(f"order {self._order_id} is carried out elsewhere, or not at all") from error
                time.sleep(_RETRY_SECONDS)

    def close(self) -> None:
        """The worker closes its database."""
