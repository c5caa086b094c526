"""The database as Studio sees it: quick reads with the seq they were read at, and a writer opened when needed.

The file may be replaced or removed under a server that runs for weeks; every read looks whether it is still the same.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import apsw

from lionstudio.errors import Busy, InvalidInput, LionError, NotFound
from lionstudio.state.connection import Connection, translate
from lionstudio.state.database import Database
from lionstudio.state.feed.changes import last_seq
from lionstudio.state.sqlite.open import open_reader

T = TypeVar("T")
Identity = tuple[int, int] | None
_MOST_READERS = 4
_CACHE = "PRAGMA cache_size = -16000"  # 16 MB: a long run that is read twice is not fetched from the system twice
_PATIENCE_MS = 2000  # a page would rather hear that it is busy than wait for half a minute


def identity_of(path: str) -> Identity:
    """Which file lies at a path, None when there is none; by asking for its name only, never by opening it."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


class StudioDb:
    """One per server; reads from any thread, writes one after the other."""

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self.replaced = 0
        self.opening_since: float | None = None  # set while the file is made or upgraded, which may take its time
        self._identity: Identity = None
        self._readers: list[Connection] = []
        self._database: Database | None = None
        self._lock = threading.Lock()
        self._opening = threading.Lock()

    def read(self, work: Callable[[Connection], T]) -> tuple[T, int]:
        """The result of a function that only reads, and the seq, both as of one moment."""
        with self.reader() as conn:
            conn.execute("BEGIN")
            # the seq first: with it the moment is fixed
            seq = last_seq(conn)
            return work(conn), seq

    def seq(self) -> int:
        """The newest seq; 0 where there is no database to ask, for pages that need none."""
        try:
            return self.read(lambda conn: None)[1]
        except LionError:
            return 0

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        """A read-only connection for the time of the block."""
        with self._lock:
            self._look()
            identity = self._identity
            conn = self._readers.pop() if self._readers else None
        conn = conn or self._open_reader()
        try:
            yield conn
        except apsw.Error as error:
            raise translate(error, self.path) from error
        finally:
            conn.rollback()
            with self._lock:
                if len(self._readers) < _MOST_READERS and identity == self._identity:
                    self._readers.append(conn)
                    conn = None
            if conn is not None:
                conn.close()

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in one transaction; called from a thread, it may wait."""
        return self.database().write(work)

    def database(self) -> Database:
        """The writer, opened when it is first needed and again after the file was replaced."""
        if self.read_only:
            raise InvalidInput("this Studio only reads", hint="start it without --read-only")
        with self._opening:  # a lock of its own: an upgrade may take minutes, and pages are answered meanwhile
            with self._lock:
                self._look()
                if self._database is not None:
                    return self._database
            opened = self._open_database()
            with self._lock:
                self._database, self._identity = opened, identity_of(self.path)
                return opened

    def _open_database(self) -> Database:
        self.opening_since = time.time()
        try:
            return Database(self.path, long_lived=True)
        finally:
            self.opening_since = None

    def find_database(self) -> Database | None:
        """The same for whoever only looks: a file that somebody removed is not made anew by that."""
        return None if self.read_only or identity_of(self.path) is None else self.database()

    def _open_reader(self) -> Connection:
        try:
            conn = open_reader(self.path)
        except NotFound as error:
            raise Busy(error.message, hint="it is made as soon as something is recorded") from None
        conn.raw.set_busy_timeout(_PATIENCE_MS)
        conn.execute(_CACHE)
        return conn

    def _look(self) -> None:
        """Let go of a file that is no longer at its path."""
        now = identity_of(self.path)
        if now == self._identity:
            return
        if self._identity is not None:
            self.replaced += 1
        self._let_go()
        self._identity = now

    def _let_go(self) -> None:
        for conn in self._readers:
            conn.close()
        self._readers.clear()
        if self._database is not None:
            self._database.close()
            self._database = None

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._let_go()
