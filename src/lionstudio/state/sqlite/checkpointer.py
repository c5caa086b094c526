"""The checkpointer: a long-lived process checkpoints the WAL on a thread, never inside a commit.

PASSIVE when the log exceeds 4,000 frames; TRUNCATE when it exceeds half its limit all the same. In quiet
seconds the same thread fills the search index.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import apsw

from lionstudio.errors import LionError
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import trim
from lionstudio.state.sqlite.busy_handler import set_busy_wait
from lionstudio.state.sqlite.maintenance import count_unindexed, file_size
from lionstudio.state.sqlite.open import AUTOCHECKPOINT, BUSY_TIMEOUT_MS, WAL_LIMIT, open_writer

if TYPE_CHECKING:
    from lionstudio.state.database import Database

T = TypeVar("T")

# Outside of commits it can run less often: pages that changed many times are copied once.
_CHECKPOINT_FROM = 4 * AUTOCHECKPOINT
_TRUNCATE_FROM = WAL_LIMIT // 2
_HELP_FROM = 2 * _CHECKPOINT_FROM  # frames of 4 KB: half the limit
_TRUNCATE_WAIT_MS = 200  # writers wait for a truncation; better to try again after the next commit
_TIDY_EVERY = 50  # checkpoints
_QUIET_SECONDS = 2.0
_LEFT_BY_OTHERS = 500  # unindexed messages; fewer are read by a search in a millisecond


class Checkpointer:
    """A thread with its own connection, woken by the writer's commits."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._wake = threading.Event()
        self._stopping = False
        self._commits = 0
        self._behind = True
        self._checkpointing = threading.Lock()
        self._help_at = _HELP_FROM
        # replaces the autocheckpoint inside COMMIT
        database.conn.raw.set_wal_hook(self._committed)
        self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
        self._thread.start()

    def _committed(self, connection: apsw.Connection, _name: str, frames: int) -> int:
        self._commits += 1
        self._behind = True
        if frames >= _CHECKPOINT_FROM:
            self._wake.set()
            if frames >= self._help_at:
                self._help(connection, frames)
        else:
            self._help_at = _HELP_FROM
        return apsw.SQLITE_OK

    def _help(self, connection: apsw.Connection, frames: int) -> None:
        """A writer that never pauses outruns the thread: it waits for it once and checkpoints the rest itself."""
        # while a reader blocks it for long, not every commit must try
        self._help_at = frames + AUTOCHECKPOINT
        connection.set_busy_timeout(_TRUNCATE_WAIT_MS)
        try:
            with self._checkpointing, suppress(apsw.Error):
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)
                self._help_at = _HELP_FROM
        finally:
            set_busy_wait(connection, BUSY_TIMEOUT_MS)

    def _run(self) -> None:
        conn: Connection | None = None
        rounds = 0
        try:
            while not self._stopping:
                if not self._wake.wait(_QUIET_SECONDS):
                    self._use_quiet_time()
                    continue
                self._wake.clear()
                conn = conn or self._open()
                if conn is not None and not self._stopping:
                    self._checkpoint(conn)
                    rounds += 1
                if rounds % _TIDY_EVERY == 1:
                    self._write(trim)
        finally:
            if conn is not None:
                conn.close()

    def _use_quiet_time(self) -> None:
        """Fill the search index until another thread writes; also with messages of processes that have ended."""
        self._behind = self._behind or self._read(count_unindexed, 0) >= _LEFT_BY_OTHERS
        if not self._behind:
            return
        from lionstudio.state.sqlite.fulltext import index_batch  # a short run ends before

        seen = self._commits
        while self._commits == seen and self._behind and not self._stopping:
            if self._database.lock.locked():
                return
            done = self._write(index_batch)
            self._behind = bool(done)
            seen += 1 if done else 0  # our own commit

    def _open(self) -> Connection | None:
        if self._stopping:
            return None  # woken to end: a short run has nothing to checkpoint, and needs no connection for it
        try:
            return open_writer(self._database.path, create=False)
        except LionError:
            return None  # the writer reports the error itself

    def _checkpoint(self, conn: Connection) -> None:
        try:
            with self._checkpointing:
                conn.raw.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            if file_size(f"{self._database.path}-wal") > _TRUNCATE_FROM:
                conn.raw.set_busy_timeout(_TRUNCATE_WAIT_MS)
                conn.raw.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.Error:
            return  # a reader holds the log, or the disk is full: the next commit wakes us again

    def _write(self, work: Callable[[Connection], T]) -> T | None:
        try:
            return self._database.write(work)
        except LionError:
            return None  # try again later; the writer reports the error

    def _read(self, work: Callable[[Connection], T], otherwise: T) -> T:
        try:
            return self._database.read(work)
        except LionError:
            return otherwise

    def stop(self) -> None:
        """End the thread; waits for a running checkpoint."""
        self._stopping = True
        self._wake.set()
        self._thread.join()
