"""Group commit on a server: what waits shares one transaction, on a thread, so that the loop waits for no answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from lionstudio.errors import Busy, StorageFailed
from lionstudio.state.connection import Connection
from lionstudio.state.postgres.database import PostgresDatabase
from lionstudio.state.sqlite.group_commit import Waiting, Work, answer_all, outcomes_of

T = TypeVar("T")
_LARGEST_BATCH = 64  # the write lock is held for one batch


class ThreadCommitter:
    def __init__(self, database: PostgresDatabase, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._database = database
        self._waiting: list[Waiting] = []
        self._running = False

    async def submit(self, work: Callable[[Connection], T]) -> T:
        """The function's result, after the commit that contains it."""
        answer: asyncio.Future[T] = self.loop.create_future()
        self._waiting.append((work, answer))
        if not self._running:
            self._running = True
            self.loop.call_soon(self._start)  # what else is submitted in this turn comes along
        return await answer

    def _outcomes(self, works: list[Work]) -> list[Any]:
        try:
            return self._database.commit(lambda conn: [work(conn) for work in works], grouped=True)
        except (Busy, StorageFailed) as error:
            return [error] * len(works)  # the server failed, not one function
        except Exception:
            # one of them failed: the others are committed one by one
            return outcomes_of(self._database, works)

    def _start(self) -> None:
        batch, self._waiting = self._waiting[:_LARGEST_BATCH], self._waiting[_LARGEST_BATCH:]

        def commit() -> list[Any]:
            with self._database.lock:
                return self._outcomes([work for work, _ in batch])

        def done(finished: asyncio.Future[list[Any]]) -> None:
            answer_all(batch, finished.result())
            if self._waiting:
                self._start()
            else:
                self._running = False

        self.loop.run_in_executor(None, commit).add_done_callback(done)
