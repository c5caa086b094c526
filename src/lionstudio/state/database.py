"""The database of one process: one writer, readers of their own, and a doorbell after every commit.

State functions are plain functions of a connection. Synchronous callers hand one to `write`, asynchronous
callers await `submit`: what waits at that moment becomes one commit, and each is answered after it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from lionstudio.crash import point
from lionstudio.errors import StorageFailed
from lionstudio.state.connection import LIBRARY_ERRORS, Connection, translate
from lionstudio.state.sqlite.doorbell import Bell
from lionstudio.state.sqlite.open import open_reader, open_writer

if TYPE_CHECKING:
    from lionstudio.state.group_commit import GroupCommitter
    from lionstudio.state.sqlite.checkpointer import Checkpointer

T = TypeVar("T")
_MOST_READERS = 4
_LOOK_EVERY = 0.02  # seconds in which a deleted file may go unnoticed; looking is 1 % of an append


class Database:
    """state.db, opened; use as a context manager or call close."""

    def __init__(self, path: str, *, create: bool = True, long_lived: bool = False) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.conn = open_writer(path, create=create)
        self.bell = Bell(path)
        self._identity = _identity_of(path)
        self._looked = time.monotonic()
        self._readers: list[Connection] = []
        self._checkpointer: Checkpointer | None = None
        self._grouper: GroupCommitter | None = None
        if long_lived:
            self.keep_checkpoints_away()

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in one transaction; when this returns, it is committed."""
        with self.lock:
            return self.commit(work)

    def commit(self, work: Callable[[Connection], T]) -> T:
        """`write` for a caller that holds the lock."""
        conn = self.conn
        if time.monotonic() - self._looked > _LOOK_EVERY:
            self._check_file()
        try:
            conn.run("BEGIN IMMEDIATE")
            result = work(conn)
            point("write.before_commit")
            conn.run("COMMIT")
        except BaseException as error:
            conn.rollback()
            if isinstance(error, LIBRARY_ERRORS):
                raise translate(error, self.path) from error
            raise
        point("write.committed")
        self.bell.ring()
        return result

    def _check_file(self) -> None:
        """A file whose name is gone takes commits that nobody will ever read."""
        if _identity_of(self.path) != self._identity:
            raise StorageFailed(
                f"{self.path} is not the file any more that was opened: it was deleted, moved or replaced",
                hint="put it back; what is written to the deleted one would be lost",
            )
        self._looked = time.monotonic()

    async def submit(self, work: Callable[[Connection], T]) -> T:
        """Run a function in a transaction shared with whatever else waits now; it may be run twice."""
        # asyncio is slow to load and only needed here
        import asyncio

        loop = asyncio.get_running_loop()
        if self._grouper is None or self._grouper.loop is not loop:
            from lionstudio.state.group_commit import GroupCommitter

            self._grouper = GroupCommitter(self, loop)
        return await self._grouper.submit(work)

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        """A read-only connection for the time of the block; nothing stays open between blocks."""
        try:
            conn = self._readers.pop()
        except IndexError:
            conn = open_reader(self.path)
        try:
            yield conn
        except LIBRARY_ERRORS as error:
            raise translate(error, self.path) from error
        finally:
            conn.rollback()
            if len(self._readers) < _MOST_READERS:
                self._readers.append(conn)
            else:
                conn.close()

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a function that only reads, as of one moment."""
        with self.reader() as conn:
            conn.execute("BEGIN")
            return work(conn)

    def keep_checkpoints_away(self) -> None:
        """Move checkpoints out of the commits of this process; for everything that runs long."""
        if self._checkpointer is None:
            from lionstudio.state.sqlite.checkpointer import Checkpointer

            self._checkpointer = Checkpointer(self)

    def close(self) -> None:
        """Stop the helpers and give the file back; what was acknowledged is already on disk."""
        if self._checkpointer is not None:
            self._checkpointer.stop()
        for conn in (*self._readers, self.conn):
            conn.close()
        self._readers.clear()
        self.bell.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _identity_of(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def reading(path: str) -> Iterator[Connection]:
    """One read-only connection, for commands that look and leave."""
    conn = open_reader(path)
    try:
        yield conn
    except LIBRARY_ERRORS as error:
        raise translate(error, path) from error
    finally:
        conn.close()
