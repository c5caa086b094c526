"""A PostgreSQL database of one process: one writer, several readers, and a NOTIFY after every commit."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import psycopg

from lionstudio.crash import point
from lionstudio.errors import LionError
from lionstudio.state.connection import LIBRARY_ERRORS, Connection, Row, ServerError, translate
from lionstudio.state.database import Database
from lionstudio.state.postgres.bell import NotifyBell
from lionstudio.state.postgres.connection import PostgresConnection, Queueing
from lionstudio.state.postgres.errors import CommitUnknown, ConnectionLost, Deadlock, NotAppended
from lionstudio.state.postgres.open import connect, open_reader, open_writer

if TYPE_CHECKING:
    from lionstudio.state.postgres.group_commit import ThreadCommitter

T = TypeVar("T")
_MOST_READERS = 4
_DEADLOCK_SECONDS = 60.0  # how long to repeat a transaction; each time another one goes on
_LONGEST_PAUSE = 0.05  # before it is repeated, by chance: two that wait the same time may meet again
_ASK_SECONDS = 10.0  # how long to ask whether a commit was done whose answer was lost


_IN_BRANCHES = """
SELECT count(*) FROM unnest(%s::text[], %s::text[]) AS sent (branch_id, message_id)
  JOIN branches b ON b.id = sent.branch_id JOIN progression_heads h ON h.id = b.progression_id
  JOIN progression_items i ON i.prog = h.pk AND i.message_id = sent.message_id
"""
_END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s AND backend_start = %s"
_END_TRANSACTION = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = %s::text::xid8::xid"
# A crash forgets numbers that no commit has written to disk, and they are given again to other transactions. After a
# crash, and only then, the server's statistics start anew.
_STATUS = """
SELECT pg_xact_status(%(id)s::text::xid8), stats_reset > %(since)s FROM pg_stat_bgwriter
"""


class _Sent(NamedTuple):
    """A transaction on its way: the session of the server, and how to recognize what it stored."""

    backend: int | None  # behind a pooler it is not known
    session_since: datetime | None
    transaction_id: str | None
    appends: list[Row]  # that are stored when the transaction was: all of them, if it has no number

    def end(self, pg: psycopg.Connection[Row]) -> bool:
        """End its session on the server; returns whether that was gone already, and cannot commit any more."""
        if self.backend is not None:
            return pg.execute(_END, (self.backend, self.session_since)).fetchone() is None
        status, has_crashed = self._status(pg)
        if status != "in progress" or has_crashed:
            return True
        pg.execute(_END_TRANSACTION, (self.transaction_id,))
        return False

    def is_stored(self, pg: psycopg.Connection[Row]) -> bool | None:
        """None: the server does not know."""
        if self.appends:
            branches, messages = [row[0] for row in self.appends], [row[3] for row in self.appends]
            return pg.execute(_IN_BRANCHES, (branches, messages)).fetchone() == (len(self.appends),)
        status, has_crashed = self._status(pg)
        return None if status == "committed" and has_crashed else status == "committed"

    def _status(self, pg: psycopg.Connection[Row]) -> Row:
        try:
            row = pg.execute(_STATUS, {"id": self.transaction_id, "since": self.session_since}).fetchone()
        except psycopg.errors.InvalidParameterValue:  # a number that was not given again yet
            return "aborted", True
        assert row is not None
        return row


class PostgresDatabase(Database):
    """The same calls as `Database`, on a server."""

    def __init__(self, path: str, *, create: bool = True, long_lived: bool = False) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.conn: PostgresConnection = open_writer(path, create=create)
        self.bell: NotifyBell = NotifyBell(path)  # type: ignore[assignment]
        self._readers: list[PostgresConnection] = []  # type: ignore[assignment]
        self._thread_committer: ThreadCommitter | None = None

    def commit(self, work: Callable[[Connection], T], *, grouped: bool = False) -> T:
        """`write` for a caller that holds the lock; `grouped`: the function is many that know nothing of each other."""
        queueing = Queueing.ALWAYS if grouped else Queueing.FIRST
        deadline: float | None = None
        while True:
            try:
                return self._commit(work, queueing)
            except NotAppended:
                queueing = Queueing.NEVER  # append by append, each with its outcome
            except Deadlock:
                # an append has its message before the lock, so two of the same messages may wait for each other
                deadline = deadline or time.monotonic() + _DEADLOCK_SECONDS
                if time.monotonic() > deadline:
                    raise
                time.sleep(_LONGEST_PAUSE * random.random())

    def _commit(self, work: Callable[[Connection], T], queueing: Queueing) -> T:
        conn = self._usable_writer()
        try:
            # a pooler does not tell which session has the transaction, so the transaction must have a number
            conn.begin_write(Queueing.NEVER if conn.pooled else queueing)
            result = work(conn)
            point("write.before_commit")
        except BaseException as error:
            self._roll_back(conn)
            if isinstance(error, LIBRARY_ERRORS):
                raise translate(error, self.path) from error
            raise
        backend = None if conn.pooled else conn.pg.pgconn.backend_pid
        try:
            conn.commit()
        except ServerError as error:
            sent = _Sent(backend, conn.session_since, conn.transaction_id, conn.sent)
            self._roll_back(conn)
            if not isinstance(error.ours, ConnectionLost) or not self._was_committed(sent, error.ours):
                raise error.ours from error
        point("write.committed")
        self.bell.ring()
        return result

    def _usable_writer(self) -> PostgresConnection:
        """The writer, connected again after its connection was lost."""
        if self.conn.is_cut():
            self.conn.close()
            self.conn = open_writer(self.path, create=False)
        return self.conn

    def _roll_back(self, conn: PostgresConnection) -> None:
        try:
            conn.rollback()
        except ServerError:
            conn.close()  # the server rolls back what its connection did not commit

    def _was_committed(self, sent: _Sent, lost: ConnectionLost) -> bool:
        """Ask the server about a transaction whose COMMIT was sent and not answered."""
        deadline = time.monotonic() + _ASK_SECONDS
        while time.monotonic() < deadline:
            try:
                with connect(self.path) as pg:
                    if sent.end(pg):
                        stored = sent.is_stored(pg)
                        if stored is None:
                            break
                        return stored
            except (LionError, psycopg.Error):
                pass  # not yet
            time.sleep(0.1)
        raise CommitUnknown(
            f"the connection to {self.path} was lost during a commit, and whether it was done is not known",
            hint="when the server is back, run `li state ls`; repeat the command if the change is missing",
        ) from lost

    async def submit(self, work: Callable[[Connection], T]) -> T:
        import asyncio

        loop = asyncio.get_running_loop()
        if self._thread_committer is None or self._thread_committer.loop is not loop:
            from lionstudio.state.postgres.group_commit import ThreadCommitter

            self._thread_committer = ThreadCommitter(self, loop)
        return await self._thread_committer.submit(work)

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        conn = self._take_reader()
        try:
            yield conn
        except LIBRARY_ERRORS as error:
            raise translate(error, self.path) from error
        finally:
            self._give_back(conn)

    def _take_reader(self) -> PostgresConnection:
        while self._readers:
            conn = self._readers.pop()
            if not conn.is_cut():
                return conn
            conn.close()
        return open_reader(self.path)

    def _give_back(self, conn: PostgresConnection) -> None:
        try:
            conn.rollback()
        except ServerError:
            conn.close()
        if not conn.pg.closed and len(self._readers) < _MOST_READERS:
            self._readers.append(conn)
        else:
            conn.close()

    def start_checkpointer(self) -> None:
        """The server writes its checkpoints itself."""

    def close(self) -> None:
        for conn in (*self._readers, self.conn):
            conn.close()
        self._readers.clear()
        self.bell.close()
