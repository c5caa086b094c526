"""Group commit for asynchronous callers: functions that wait in one turn of the event loop share one commit.

Committing on the loop was measured against a writer thread: without the two thread hops one producer
waits half as long. A producer that is alone does not even wait for the turn to end. While another thread or process
holds the database, the work moves to a thread, so that the loop never waits for a lock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from lionstudio.errors import Busy, StorageFailed
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.busy_handler import set_busy_wait
from lionstudio.state.sqlite.open import BUSY_TIMEOUT_MS

if TYPE_CHECKING:
    from lionstudio.state.database import Database

T = TypeVar("T")
Work = Callable[[Connection], Any]
Waiting = tuple[Work, "asyncio.Future[Any]"]

# One batch holds the loop and the write lock no longer than about 10 ms of appends.
_LARGEST_BATCH = 256
# A lone producer that never pauses must still let others run.
_MOST_AT_ONCE = 4

_LOCKED = Busy("another thread of this process is writing")


class GroupCommitter:
    def __init__(self, database: Database, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._database = database
        self._waiting: list[Waiting] = []
        self._scheduled = False
        self._alone = True  # the last batch was of one: no other producer shares a commit
        self._at_once = 0  # commits of this turn that did not wait for the batch

    async def submit(self, work: Callable[[Connection], T]) -> T:
        """The function's result, after the commit that contains it."""
        # `_scheduled`: others wait already and go first
        if self._alone and not self._scheduled and self._at_once < _MOST_AT_ONCE:
            [outcome] = self._try_now([work])
            if not isinstance(outcome, Busy):
                self._count_turn()
                if isinstance(outcome, Exception):
                    raise outcome
                return outcome  # type: ignore[no-any-return]
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
        done = next((n for n, outcome in enumerate(outcomes) if isinstance(outcome, Busy)), len(batch))
        answer_all(batch[:done], outcomes[:done])
        if done < len(batch):
            self._hand_over(batch[done:])  # only those that are not committed: the others must not run twice
        else:
            self._next()

    def _next(self) -> None:
        self._scheduled = bool(self._waiting)
        if self._waiting:
            self.loop.call_soon(self._flush)

    def _try_now(self, works: list[Work]) -> list[Any]:
        """The outcomes; from the first Busy on, another thread or process holds the database."""
        database = self._database
        if not database.lock.acquire(blocking=False):
            return [_LOCKED] * len(works)
        raw = database.conn.raw
        try:
            raw.set_busy_timeout(0)
            return outcomes_of(database, works)
        finally:
            set_busy_wait(raw, BUSY_TIMEOUT_MS)
            database.lock.release()

    def _hand_over(self, batch: list[Waiting]) -> None:
        """Wait for the database in a thread; new work collects in the next batch meanwhile."""

        def commit() -> list[Any]:
            with self._database.lock:
                return outcomes_of(self._database, [work for work, _ in batch])

        def done(finished: asyncio.Future[list[Any]]) -> None:
            answer_all(batch, finished.result())
            self._next()

        self.loop.run_in_executor(None, commit).add_done_callback(done)


def outcomes_of(database: Database, works: list[Work]) -> list[Any]:
    """A result or error for each function; when one fails, the others are committed one by one."""
    try:
        return database.commit(lambda conn: [work(conn) for work in works])
    except (Busy, StorageFailed) as error:
        return [error] * len(works)  # the file failed, not one function
    except Exception as error:
        if len(works) == 1:
            return [error]
    outcomes: list[Any] = []
    for work in works:
        outcomes += outcomes_of(database, [work])
        if isinstance(outcomes[-1], Busy):
            break
    return outcomes + outcomes[-1:] * (len(works) - len(outcomes))


def answer_all(batch: list[Waiting], outcomes: list[Any]) -> None:
    for (_, answer), outcome in zip(batch, outcomes, strict=True):
        if answer.cancelled():
            continue
        if isinstance(outcome, Exception):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)
