"""The database of one process: one writer, several readers, and a doorbell after every commit.

State functions are plain functions of a connection. Synchronous callers pass one to `write`, asynchronous callers
await `submit`: all functions that wait at that moment share one commit, and each gets its result after it.
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
    from lionstudio.state.sqlite.checkpointer import Checkpointer
    from lionstudio.state.sqlite.group_commit import GroupCommitter

T = TypeVar("T")
_MOST_READERS = 4
_CHECK_SECONDS = 0.02  # a deleted file goes unnoticed for so long; the check is 1 % of an append


class Database:
    """state.db, opened; use as a context manager or call close."""

    rows_win = False  # of shows: whether rows are the truth where files differ; on many machines they are

    def __init__(self, path: str, *, create: bool = True, long_lived: bool = False) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.conn = open_writer(path, create=create)
        self.bell = Bell(path)
        self._identity = _identity_of(path)
        self._checked_at = time.monotonic()
        self._readers: list[Connection] = []
        self._checkpointer: Checkpointer | None = None
        self._committer: GroupCommitter | None = None
        if long_lived:
            self.start_checkpointer()

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in one transaction; when this returns, it is committed."""
        with self.lock:
            return self.commit(work)

    def commit(self, work: Callable[[Connection], T]) -> T:
        """`write` for a caller that holds the lock."""
        conn = self.conn
        if time.monotonic() - self._checked_at > _CHECK_SECONDS:
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
        """Commits to a file that was deleted would be lost."""
        if _identity_of(self.path) != self._identity:
            raise StorageFailed(
                f"{self.path} was deleted, moved or replaced while it was open",
                hint="put the file back, then run the command again",
            )
        self._checked_at = time.monotonic()

    async def submit(self, work: Callable[[Connection], T]) -> T:
        """Run a function in a transaction shared with the others that wait now; it may run twice."""
        # asyncio is slow to load and only needed here
        import asyncio

        loop = asyncio.get_running_loop()
        if self._committer is None or self._committer.loop is not loop:
            from lionstudio.state.sqlite.group_commit import GroupCommitter

            self._committer = GroupCommitter(self, loop)
        return await self._committer.submit(work)

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        """A read-only connection for the block; no transaction stays open between blocks."""
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
        """Run a function that only reads, in one snapshot."""
        with self.reader() as conn:
            conn.execute("BEGIN")
            return work(conn)

    def start_checkpointer(self) -> None:
        """Checkpoint in a thread instead of in commits, for long-lived processes."""
        if self._checkpointer is None:
            from lionstudio.state.sqlite.checkpointer import Checkpointer

            self._checkpointer = Checkpointer(self)

    def close(self) -> None:
        """Stop the checkpointer and close the file; every acknowledged write is on disk already."""
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
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def reading(path: str) -> Iterator[Connection]:
    """One read-only connection, for commands that read once."""
    conn = open_reader(path)
    try:
        yield conn
    except LIBRARY_ERRORS as error:
        raise translate(error, path) from error
    finally:
        conn.close()
