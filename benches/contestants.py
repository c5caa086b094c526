"""The ways to append that bench_append.py compares; each contestant returns the µs of each append."""

from __future__ import annotations

import asyncio
import os
import queue
import random
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from benches.stores import begin, fill_session, fresh_path, messages
from lionstudio.model.json_codec import dump
from lionstudio.model.messages import Message
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.append_cursor import cursor_of
from lionstudio.state.sqlite.open import open_writer

_clock = time.perf_counter_ns


def _supply(seed: int, count: int) -> Iterator[list[Message]]:
    """Lists of `count` new messages, one list for each round."""
    dice = random.Random(seed)
    while True:
        supply = messages(dice)
        yield [next(supply) for _ in range(count)]


_MESSAGE = """
INSERT INTO messages (id, created_at, node_metadata, content, embedding, sender, recipient, channel, role, lion_class)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_ITEMS = "INSERT INTO progression_items (prog, ord, message_id) VALUES (?, ?, ?), (?, ?, ?)"
_SESSION = """
UPDATE sessions SET last_msg_id = ?, last_message_at = ?, updated_at = ?, message_count = ? WHERE id = ?
"""
_CHANGE = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id, ord) VALUES (?, 'appended', 'message', ?, ?, ?)
"""


class Bare:
    """A loop in the bare library that writes the same rows: everything is encoded and counted beforehand.

    Parameters are positional: the fastest way that the library offers.
    """

    def __init__(self, count: int, *, filled: int = 0, one_cursor: bool = False) -> None:
        path = fresh_path("bare")
        with Database(path) as database:
            self._session, branch = begin(database)
            cursor = cursor_of(database.conn, branch)
            if filled:
                fill_session(database, filled)
        self._progs = (cursor.session.prog, cursor.prog)
        raw = open_writer(path).raw
        # the usual way; a single cursor for all statements is faster and is measured for comparison
        self._execute = raw.cursor().execute if one_cursor else raw.execute
        self._ord = filled
        self._supply = _supply(1, count)

    def _rows(self) -> list[tuple[tuple[Any, ...], ...]]:
        rows: list[tuple[tuple[Any, ...], ...]] = []
        session, branch = self._progs
        for message in next(self._supply):
            id_, at, ord_ = message.id, message.created_at, self._ord
            row = (id_, at, None, dump(message.content), None, None, None, None, message.role, 3)
            items = (session, ord_, id_, branch, ord_, id_)
            rows.append((row, items, (id_, at, at, ord_ + 1, self._session), (at, id_, self._session, ord_)))
            self._ord += 1
        return rows

    def __call__(self) -> list[float]:
        rows = self._rows()
        execute = self._execute
        each = []
        for message, items, session, change in rows:
            start = _clock()
            execute("BEGIN IMMEDIATE")
            execute(_MESSAGE, message)
            execute(_ITEMS, items)
            execute(_SESSION, session)
            execute(_CHANGE, change)
            execute("COMMIT")
            each.append((_clock() - start) / 1000)
        return each


class Synchronous:
    """Database.write(append), one after the other."""

    def __init__(self, count: int, *, filled: int = 0, long_lived: bool = False) -> None:
        self._database = Database(fresh_path("sync"))
        _, self._branch = begin(self._database)
        if filled:
            fill_session(self._database, filled)
        if long_lived:
            self._database.start_checkpointer()
        self._supply = _supply(2, count)

    def __call__(self) -> list[float]:
        batch = next(self._supply)
        write, branch = self._database.write, self._branch
        each = []
        for message in batch:
            start = _clock()
            write(lambda conn, message=message: append(conn, branch, message))  # type: ignore[misc]
            each.append((_clock() - start) / 1000)
        return each


Submit = Callable[[Callable[[Connection], object]], Awaitable[object]]


class Asynchronous:
    """`await submit(append)` by several producers on one event loop."""

    def __init__(self, count: int, producers: int, submit: Submit, path: str, branches: list[str]) -> None:
        self._producers = producers
        self._submit = submit
        self._wal = f"{path}-wal"
        self._branches = branches
        self._supply = _supply(3, count)
        self._loop = loop()
        self.largest_wal = 0

    def __call__(self) -> list[float]:
        each = self._loop.run_until_complete(self._round(next(self._supply)))
        self.largest_wal = max(self.largest_wal, os.stat(self._wal).st_size)
        return each

    async def _round(self, batch: list[Message]) -> list[float]:
        each: list[float] = []
        async with asyncio.TaskGroup() as group:
            for number in range(self._producers):
                branch = self._branches[number % len(self._branches)]
                group.create_task(self._produce(branch, batch[number :: self._producers], each))
        return each

    async def _produce(self, branch: str, batch: list[Message], each: list[float]) -> None:
        submit = self._submit
        for message in batch:
            start = _clock()
            await submit(lambda conn, message=message: append(conn, branch, message))  # type: ignore[misc]
            each.append((_clock() - start) / 1000)


def grouped(count: int, producers: int) -> Asynchronous:
    """Database.submit; each producer has its own session, as agents do."""
    database = Database(fresh_path("group"))
    branches = [begin(database)[1] for _ in range(producers)]
    database.start_checkpointer()
    return Asynchronous(count, producers, database.submit, database.path, branches)


def threaded(count: int, producers: int) -> Asynchronous:
    """The same work through a writer thread."""
    database = Database(fresh_path("thread"))
    branches = [begin(database)[1] for _ in range(producers)]
    database.start_checkpointer()
    return Asynchronous(count, producers, WriterThread(database, loop()).submit, database.path, branches)


class WriterThread:
    """Group commit by a thread, which returns the results through the event loop."""

    def __init__(self, database: Database, event_loop: asyncio.AbstractEventLoop) -> None:
        self._database = database
        self._loop = event_loop
        self._queue: queue.SimpleQueue[tuple[Callable[[Connection], object], asyncio.Future[object]]]
        self._queue = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    async def submit(self, work: Callable[[Connection], object]) -> object:
        answer: asyncio.Future[object] = self._loop.create_future()
        self._queue.put((work, answer))
        return await answer

    def _run(self) -> None:
        while True:
            batch = [self._queue.get()]
            while not self._queue.empty() and len(batch) < 256:
                batch.append(self._queue.get())
            results = self._database.write(lambda conn, batch=batch: [work(conn) for work, _ in batch])  # type: ignore[misc]
            self._loop.call_soon_threadsafe(_answer, batch, results)


def _answer(batch: list[tuple[Any, asyncio.Future[object]]], results: list[object]) -> None:
    for (_, answer), result in zip(batch, results, strict=True):
        answer.set_result(result)


_loop: asyncio.AbstractEventLoop | None = None


def loop() -> asyncio.AbstractEventLoop:
    """The one event loop of a bench."""
    global _loop
    if _loop is None:
        _loop = asyncio.new_event_loop()
    return _loop
