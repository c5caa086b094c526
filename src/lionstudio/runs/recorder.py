"""The recorder reads an agent's events, redacts them, and commits them in batches while the agent works.

An event is stored once it is committed, or on disk in the spool. Events already read are stored even when the run is
being stopped. A full queue makes the agent wait instead of growing memory.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from lionstudio.agents.events import Ended, Event, MessageEvent, TextDelta
from lionstudio.crash import point
from lionstudio.errors import Busy, InvalidInput, LionError, StorageFailed
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.event_writer import BoundEvent, LaneBranches
from lionstudio.runs.redaction import LONG_TEXT, note_clean, text_length
from lionstudio.runs.spool import Spool
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database

_QUEUE = 256  # events waiting between the agent and the database
_BATCH = 128
_RETRY_SECONDS = 2.0  # between attempts to reach a database that failed

Redact = Callable[[Event], Event]
Watch = Callable[[Event], None]


class Recorder:
    """Stores the events of one agent on its branch, and those of its sub-agents on theirs."""

    def __init__(
        self,
        database: Database,
        lanes: LaneBranches,
        *,
        redact: Redact = lambda event: event,
        watch: Watch = lambda event: None,
        warn: Callable[[str], None] = lambda message: None,
        spool: Spool | None = None,
    ) -> None:
        self._database = database
        self._lanes = lanes
        self._redact = redact
        self._watch = watch
        self._warn = warn
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue(_QUEUE)
        self._reader: asyncio.Task[None] | None = None
        self._ended: Ended | None = None
        self._stopped: Ended | None = None
        self.spool = spool or Spool(database.path, lanes.session_id)
        self._retry_at = 0.0

    async def record(self, events: AsyncIterator[Event]) -> Ended:
        """Store every event until the agent ends or is stopped; returns how it ended."""
        try:
            async with asyncio.TaskGroup() as group:
                self._reader = group.create_task(self._read(events))
                while batch := await self._take():
                    await self._store(batch)
        except ExceptionGroup as several:
            raise several.exceptions[0] from None  # the group has exactly one
        await self._drain_spool()
        crashed = Ended(SessionStatus.FAILED, 1, "run.failed.provider_crash", "the agent ended without a result")
        return self._stopped or self._ended or crashed

    def stop(self, how: Ended) -> None:
        """Stop the agent and its process tree; events read so far are stored. The first reason wins."""
        if self._stopped is None:
            self._stopped = how
            if self._reader is not None:
                self._reader.cancel()

    async def _read(self, events: AsyncIterator[Event]) -> None:
        waiting: Event | None = None  # read, while the queue is full
        try:
            async for event in events:
                waiting = event
                await self._queue.put(event)
                waiting = None
                if isinstance(event, Ended):
                    break
        except asyncio.CancelledError:
            if self._stopped is None:
                raise
            if waiting is not None:
                await self._queue.put(waiting)
        except LionError as error:
            self._ended = Ended(SessionStatus.FAILED, error.exit_code, "run.failed.provider_crash", error.message)
        finally:
            close = getattr(events, "aclose", None)
            if close is not None:
                await close()
            await self._queue.put(None)

    async def _take(self) -> list[Event]:
        """The events in the queue, waiting for at least one; empty when the agent has ended."""
        batch: list[Event] = []
        length = 0
        event = await self._queue.get()
        while event is not None:
            batch.append(event)
            length += _length(event)
            if len(batch) >= _BATCH or length >= LONG_TEXT or self._queue.empty():
                return batch
            event = self._queue.get_nowait()
        if batch:
            self._queue.put_nowait(None)
        return batch

    async def _store(self, batch: list[Event]) -> None:
        if sum(map(_length, batch)) > LONG_TEXT:
            # the loop has other things to do; the lanes' order is kept, because nothing else redacts meanwhile
            bound = await asyncio.to_thread(self._bind_long, batch)
        else:
            bound = self._bind(batch)
        self._ended = next((item.event for item in bound if isinstance(item.event, Ended)), self._ended)
        while not await self._commit(bound):  # noqa: ASYNC110  (nothing signals that there is space again)
            # neither the database nor the disk accepts it: the agent waits
            await asyncio.sleep(_RETRY_SECONDS)
        point("recorder.kept")
        for item in bound:
            self._watch(item.event)

    def _bind(self, batch: list[Event]) -> list[BoundEvent]:
        return [BoundEvent(self._lanes, self._redact(event)) for event in batch]

    def _bind_long(self, batch: list[Event]) -> list[BoundEvent]:
        """Bind a batch, and look at the rows of its messages as well: the writer then finds them known as clean."""
        bound = self._bind(batch)
        for item in bound:
            if isinstance(item.event, MessageEvent):
                note_clean(item.event.message)
        return bound

    async def _commit(self, bound: list[BoundEvent]) -> bool:
        if all(isinstance(item.event, (TextDelta, Ended)) for item in bound):
            return True
        if time.monotonic() >= self._retry_at and await self._drain_spool():
            try:
                try:
                    await self._database.submit(_write_work(bound))
                except InvalidInput:
                    # content that cannot be stored as it is (nested too deeply …) is stored as text, not lost
                    for item in bound:
                        item.stringify_content()
                    await self._database.submit(_write_work(bound))
                return True
            except (Busy, StorageFailed) as error:
                self._postpone(error)
        return self._write_spool(bound)

    def _write_spool(self, bound: list[BoundEvent]) -> bool:
        try:
            self.spool.put(
                item.stringify_content().to_dict() for item in bound if not isinstance(item.event, (TextDelta, Ended))
            )
        except OSError as error:
            self._warn(f"neither the database nor the spool can be written ({error}); the agent waits for disk space")
            return False
        return True

    async def _drain_spool(self) -> bool:
        """Move the spool into the database; True when it is empty."""
        if not self.spool.count:
            return True
        try:
            count = await asyncio.to_thread(self.spool.drain, self._database)
        except LionError as error:
            self._postpone(error)
            return False
        self._warn(f"the database is available again; stored {count} events from the spool")
        return True

    def _postpone(self, error: LionError) -> None:
        self._retry_at = time.monotonic() + _RETRY_SECONDS
        self._warn(f"{error.message}; storing messages in {self.spool.path} until the database is available")


def _length(event: Event) -> int:
    return text_length(event.message) if isinstance(event, MessageEvent) else 0


def _write_work(bound: list[BoundEvent]) -> Callable[[Connection], None]:
    def work(conn: Connection) -> None:
        for item in bound:
            item.write(conn)

    return work
