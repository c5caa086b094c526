"""The database connections of the server: reads with the seq they were read at, and a writer opened on demand.

The file may be replaced or removed while the server runs for weeks; every read checks that it is still the same.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import escape, glob
from typing import TypeVar

from lionstudio.errors import Busy, InvalidInput, LionError, NotFound
from lionstudio.state.backends import identity_of, maintenance, open_database, open_reader
from lionstudio.state.connection import LIBRARY_ERRORS, Connection, translate
from lionstudio.state.database import Database
from lionstudio.state.feed.changes import last_seq
from lionstudio.state.runs.active_owners import RunningOwner, list_terminal_owners

T = TypeVar("T")
Identity = tuple[int, int] | None
_MOST_READERS = 4


class StudioDb:
    """One per server; reads from any thread, one write at a time."""

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self.replaced = 0
        self.opening_since: float | None = None  # set while the file is created or upgraded, which may take minutes
        self.backup: str | None = None  # the copy of an older database that this server upgraded
        self._identity: Identity = None
        self._readers: list[Connection] = []
        self._database: Database | None = None
        self._lock = threading.Lock()
        self._opening = threading.Lock()

    def read(self, work: Callable[[Connection], T]) -> tuple[T, int]:
        """The result of a function that only reads, and the seq, from one snapshot."""
        with self.reader() as conn:
            conn.execute("BEGIN")
            # the seq first: reading it fixes the snapshot
            seq = last_seq(conn)
            return work(conn), seq

    def seq(self) -> int:
        """The newest seq; 0 without a database, for routes that do not need one."""
        try:
            return self.read(lambda conn: None)[1]
        except LionError:
            return 0

    def list_terminals(self) -> list[RunningOwner]:
        """The programs in connected terminals; none without a database."""
        try:
            return self.read(list_terminal_owners)[0]
        except LionError:
            return []

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        """A read-only connection for the time of the block."""
        with self._lock:
            self._check_replaced()
            identity = self._identity
            conn = self._take_reader()
        conn = conn or self._open_reader()
        try:
            yield conn
        except LIBRARY_ERRORS as error:
            raise translate(error, self.path) from error
        finally:
            self._give_back(conn, identity)

    def _take_reader(self) -> Connection | None:
        while self._readers:
            conn = self._readers.pop()
            if not conn.is_cut():
                return conn
            conn.close()  # the server was restarted, or ended it because it was idle
        return None

    def _give_back(self, conn: Connection, identity: Identity) -> None:
        try:
            conn.rollback()
        except LIBRARY_ERRORS:
            conn.close()  # the error before it was raised
            return
        with self._lock:
            if len(self._readers) < _MOST_READERS and identity == self._identity and not conn.is_cut():
                self._readers.append(conn)
                return
        conn.close()

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in one transaction; call it from a thread, it may wait."""
        return self.database().write(work)

    def database(self) -> Database:
        """The writer, opened on first use and again after the file was replaced."""
        if self.read_only:
            raise InvalidInput("this server is read-only", hint="restart `li studio` without --read-only")
        with self._opening:  # a separate lock: an upgrade may take minutes, and reads continue meanwhile
            with self._lock:
                self._check_replaced()
                if self._database is not None:
                    return self._database
            opened = self._open_database()
            with self._lock:
                self._database, self._identity = opened, identity_of(self.path)
                return opened

    def _open_database(self) -> Database:
        self.opening_since = time.time()
        backups = self._list_backups()
        try:
            return open_database(self.path, long_lived=True)
        finally:
            self.backup = next(iter(self._list_backups() - backups), self.backup)
            self.opening_since = None

    def _list_backups(self) -> set[str]:
        """The copies that upgrades left beside the file."""
        return set(glob(f"{escape(self.path)}.v*.bak"))

    @property
    def is_open(self) -> bool:
        """Whether the writer is open; a write may still have to open it again."""
        return self._database is not None

    def find_database(self) -> Database | None:
        """The writer if the file exists; unlike `database`, it does not create the file."""
        return None if self.read_only or identity_of(self.path) is None else self.database()

    def _open_reader(self) -> Connection:
        try:
            conn = open_reader(self.path)
        except NotFound as error:
            raise Busy(error.message, hint="the first recorded run creates it") from None
        maintenance(self.path).tune_for_serving(conn)
        return conn

    def _check_replaced(self) -> None:
        """Close the connections when another file is at the path."""
        identity = identity_of(self.path)
        if identity == self._identity:
            return
        if self._identity is not None:
            self.replaced += 1
        self._close_connections()
        self._identity = identity

    def _close_connections(self) -> None:
        for conn in self._readers:
            conn.close()
        self._readers.clear()
        if self._database is not None:
            self._database.close()
            self._database = None

    def close(self) -> None:
        with self._lock:
            self._close_connections()
