"""Group commit for asynchronous callers: what waits in one turn of the event loop becomes one commit.

Committing on the loop was measured against a writer thread: without the two thread hops one producer
waits half as long. A producer that is alone does not even wait for the turn to end. A database that is
held by somebody else moves the work to a thread, so the loop never waits for a lock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from lionstudio.errors import Busy
from lionstudio.state.connection import Connection
from lionstudio.state.opening import BUSY_TIMEOUT_MS

if TYPE_CHECKING:
    from lionstudio.state.database import Database

T = TypeVar("T")
Work = Callable[[Connection], Any]
Waiting = tuple[Work, "asyncio.Future[Any]"]

# One batch holds the loop and the write lock no longer than about 10 ms of appends.
_LARGEST_BATCH = 256
# A lone producer that never pauses must still let others run.
_MOST_AT_ONCE = 4


class Grouper:
    """Collects the functions of one event loop and commits them together."""

    def __init__(self, database: Database, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._database = database
        self._waiting: list[Waiting] = []
        self._scheduled = False
        self._alone = True  # the last batch was of one: nobody to share a commit with
        self._at_once = 0  # commits in this turn that waited for nobody

    async def submit(self, work: Callable[[Connection], T]) -> T:
        """The function's result, after the commit that contains it."""
        # `_scheduled`: somebody waits, and nobody overtakes
        if self._alone and not self._scheduled and self._at_once < _MOST_AT_ONCE:
            outcomes = self._try_now([work])
            if outcomes is not None:
                self._count_turn()
                if isinstance(outcomes[0], Exception):
                    raise outcomes[0]
                return outcomes[0]  # type: ignore[no-any-return]
        answer: asyncio.Future[T] = self.loop.create_future()
        self._waiting.append((work, answer))
        if not self._scheduled:
            self._scheduled = True
            self.loop.call_soon(self._flush)
        return await answer

    def _count_turn(self) -> None:
        if self._at_once == 0:
            self.loop.call_soon(self._begin_turn)
        self._at_once += 1

    def _begin_turn(self) -> None:
        self._at_once = 0

    def _flush(self) -> None:
        batch, self._waiting = self._waiting[:_LARGEST_BATCH], self._waiting[_LARGEST_BATCH:]
        self._alone = len(batch) == 1
        outcomes = self._try_now([work for work, _ in batch])
        if outcomes is None:
            self._hand_over(batch)
            return
        _answer(batch, outcomes)
        self._next()

    def _next(self) -> None:
        self._scheduled = bool(self._waiting)
        if self._waiting:
            self.loop.call_soon(self._flush)

    def _try_now(self, works: list[Work]) -> list[Any] | None:
        """The outcomes, None when another thread or process holds the database."""
        database = self._database
        if not database.lock.acquire(blocking=False):
            return None
        raw = database.conn.raw
        try:
            raw.set_busy_timeout(0)
            return _outcomes(database, works)
        except Busy:
            return None
        finally:
            raw.set_busy_timeout(BUSY_TIMEOUT_MS)
            database.lock.release()

    def _hand_over(self, batch: list[Waiting]) -> None:
        """Wait for the database in a thread; new work gathers meanwhile into the next batch."""

        def commit() -> list[Any]:
            with self._database.lock:
                try:
                    return _outcomes(self._database, [work for work, _ in batch])
                except Busy as error:
                    return [error] * len(batch)

        def done(finished: asyncio.Future[list[Any]]) -> None:
            _answer(batch, finished.result())
            self._next()

        self.loop.run_in_executor(None, commit).add_done_callback(done)


def _outcomes(database: Database, works: list[Work]) -> list[Any]:
    """Results or errors, one for each; when one function fails the others are committed one by one."""
    try:
        return database.commit(lambda conn: [work(conn) for work in works])
    except Busy:
        raise
    except Exception as error:
        if len(works) == 1:
            return [error]
    return [_outcomes(database, [work])[0] for work in works]


def _answer(batch: list[Waiting], outcomes: list[Any]) -> None:
    for (_, answer), outcome in zip(batch, outcomes, strict=True):
        if answer.cancelled():
            continue
        if isinstance(outcome, Exception):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)
