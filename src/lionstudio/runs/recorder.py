"""The recorder: takes an agent's events, redacts them, and commits them in batches while the agent works.

An event counts as kept after its commit, or after it is on disk in the spool. Events that were read are kept
even when the run is being stopped. A full queue makes the agent wait, not the memory grow.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from lionstudio.agents.events import Ended, Event, TextDelta
from lionstudio.crash import point
from lionstudio.errors import Busy, InvalidInput, LionError, StorageFailed
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.event_writer import BoundEvent, LaneBranches
from lionstudio.runs.spool import Spool
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database

_QUEUE = 256  # events between the agent and the database
_BATCH = 128
_RETRY_SECONDS = 2.0  # between attempts to reach a database that failed

Redact = Callable[[Event], Event]
Watch = Callable[[Event], None]


class Recorder:
    """Keeps the events of one agent on one branch (and its sub-agents on theirs)."""

    def __init__(
        self,
        database: Database,
        lanes: LaneBranches,
        *,
        redact: Redact = lambda event: event,
        watch: Watch = lambda event: None,
        warn: Callable[[str], None] = lambda sentence: None,
        spool: Spool | None = None,
    ) -> None:
        self._database = database
        self._lanes = lanes
        self._redact = redact
        self._watch = watch
        self._warn = warn
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue(_QUEUE)
        self._reading: asyncio.Task[None] | None = None
        self._ended: Ended | None = None
        self._stopped: Ended | None = None
        self.spool = spool or Spool(database.path, lanes.session_id)
        self._try_again_at = 0.0

    async def record(self, events: AsyncIterator[Event]) -> Ended:
        """Keep everything until the agent ends or is stopped; how it ended."""
        try:
            async with asyncio.TaskGroup() as group:
                self._reading = group.create_task(self._read(events))
                while batch := await self._take():
                    await self._keep(batch)
        except ExceptionGroup as several:
            raise several.exceptions[0] from None  # there is one; its group says nothing more
        await self._drain_spool()
        crashed = Ended(SessionStatus.FAILED, 1, "run.failed.provider_crash", "it ended without saying how")
        return self._stopped or self._ended or crashed

    def stop(self, how: Ended) -> None:
        """End the agent with its whole process tree; what it said until then is kept. The first reason stays."""
        if self._stopped is None:
            self._stopped = how
            if self._reading is not None:
                self._reading.cancel()

    async def _read(self, events: AsyncIterator[Event]) -> None:
        try:
            async for event in events:
                await self._queue.put(event)
                if isinstance(event, Ended):
                    break
        except asyncio.CancelledError:
            if self._stopped is None:
                raise
        except LionError as error:
            self._ended = Ended(SessionStatus.FAILED, error.exit_code, "run.failed.provider_crash", error.message)
        finally:
            close = getattr(events, "aclose", None)
            if close is not None:
                await close()
            await self._queue.put(None)

    async def _take(self) -> list[Event]:
        """What waits now, at least one event; nothing when the agent has ended."""
        batch: list[Event] = []
        event = await self._queue.get()
        while event is not None:
            batch.append(event)
            if len(batch) >= _BATCH or self._queue.empty():
                return batch
            event = self._queue.get_nowait()
        if batch:
            self._queue.put_nowait(None)
        return batch

    async def _keep(self, batch: list[Event]) -> None:
        kept = [BoundEvent(self._lanes, self._redact(event)) for event in batch]
        self._ended = next((one.event for one in kept if isinstance(one.event, Ended)), self._ended)
        while not await self._commit(kept):  # noqa: ASYNC110  (there is nobody who could tell us)
            # neither the database nor the disk takes it: the agent waits with us
            await asyncio.sleep(_RETRY_SECONDS)
        point("recorder.kept")
        for one in kept:
            self._watch(one.event)

    async def _commit(self, kept: list[BoundEvent]) -> bool:
        if all(isinstance(one.event, (TextDelta, Ended)) for one in kept):
            return True
        if time.monotonic() >= self._try_again_at and await self._drain_spool():
            try:
                await self._database.submit(_writing(kept))
                return True
            except InvalidInput:
                # what cannot be stored as it is (nested too deeply …) is stored as text, not lost
                for one in kept:
                    one.as_text()
                return await self._commit_text(kept)
            except (Busy, StorageFailed) as error:
                self._put_off(error)
        return self._set_aside(kept)

    async def _commit_text(self, kept: list[BoundEvent]) -> bool:
        try:
            await self._database.submit(_writing(kept))
            return True
        except (Busy, StorageFailed) as error:
            self._put_off(error)
            return self._set_aside(kept)

    def _set_aside(self, kept: list[BoundEvent]) -> bool:
        try:
            self.spool.put(one.as_text().to_dict() for one in kept if not isinstance(one.event, (TextDelta, Ended)))
        except OSError as error:
            self._warn(f"nothing can be written ({error}); the agent waits until there is space")
            return False
        return True

    async def _drain_spool(self) -> bool:
        """True when nothing waits in the spool any more."""
        if not self.spool.count:
            return True
        try:
            taken = await asyncio.to_thread(self.spool.take_in, self._database)
        except LionError as error:
            self._put_off(error)
            return False
        self._warn(f"the database is back; {taken} events were taken in from the spool")
        return True

    def _put_off(self, error: LionError) -> None:
        self._try_again_at = time.monotonic() + _RETRY_SECONDS
        self._warn(f"{error.message}; messages are kept in {self.spool.path} until it works again")


def _writing(kept: list[BoundEvent]) -> Callable[[Connection], None]:
    def work(conn: Connection) -> None:
        for one in kept:
            one.write(conn)

    return work
