"""A connection to PostgreSQL with the interface of `state.connection.Connection`, for the same state functions.

A write transaction takes the one write lock before its first statement, as BEGIN IMMEDIATE does. Only the append
function is called without it: that takes the lock itself, as late as it can.
"""

from __future__ import annotations

import select
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import Enum, auto
from itertools import chain, count, groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
from psycopg import adapt, pq
from psycopg.raw_cursor import RawCursor, RawServerCursor
from psycopg.types.numeric import Int8Dumper

from lionstudio.errors import StorageFailed
from lionstudio.state.bound_values import redacted_rows, redacting
from lionstudio.state.connection import Connection, Params, Row, ServerError
from lionstudio.state.postgres.errors import translate_error
from lionstudio.state.postgres.statement import ROWS_AT_ONCE, translate_sql
from lionstudio.state.sqlite.open import BUSY_TIMEOUT_MS

if TYPE_CHECKING:
    from lionstudio.state.messages.append_cursor import AppendCursor, SessionCursor

Values = Mapping[str, Any] | Sequence[Any] | None

_NONE: Params = {}
_FETCHED_AT_ONCE = 25  # rows in memory: a message may be long
_SENT_AT_ONCE = 500
_LONG = 8_000_000  # characters of rows that are sent one by one
_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# The number of the transaction answers, after a connection was lost, whether it was committed. One round trip.
_NUMBER = "SELECT pg_current_xact_id()::text"
_LOCK = f"{_NUMBER}, write_lock()"
_BEGIN_WRITE = f"BEGIN; {_LOCK}"
_PATIENCE = f"lock_timeout = {BUSY_TIMEOUT_MS}"  # as for a file: then the write is refused as busy
# a writer that is stopped or cut off in a transaction lets go of the write lock, after this time or a shorter one of
# the server
LET_GO = """
SELECT set_config('idle_in_transaction_session_timeout', round(1000 * extract(epoch FROM least(interval '30 s',
         nullif(current_setting('idle_in_transaction_session_timeout')::interval, interval '0'))))::text, false)
"""
CALL = "SELECT * FROM append_message($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
# for appends that wait: only that each is done matters
_CALL_ONE = "SELECT (append_message($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)).outcome"
_CALL_MANY = "SELECT append_messages($1, $2::text[]::boolean[], $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"


class KnownSession(NamedTuple):
    """The session of a branch, and a position in it that is taken."""

    id: str
    pk: int
    ord: int


class Queueing(Enum):
    """Which appends of a transaction wait for its commit: none, those before its first statement, or all."""

    NEVER = auto()
    FIRST = auto()
    ALWAYS = auto()


class PostgresConnection(Connection):
    """One connection; used by one thread at a time."""

    __slots__ = (
        "_additions",
        "_beginner",
        "_begins",
        "_caller",
        "_collecting",
        "_cursor",
        "_cursors",
        "_only_queued",
        "_open_cursors",
        "_queueing",
        "_rows_changed",
        "pg",
        "pooled",
        "queue",
        "sent",
        "session_since",
        "sessions_of",
        "transaction_id",
    )

    def __init__(self, pg: psycopg.Connection[Row], path: str, *, writer: bool = False) -> None:
        _adapt(pg)
        self.pg = pg
        self.raw = _NO_HANDLERS  # type: ignore[assignment]
        self._cursors = count()
        self._open_cursors = 0  # that share a transaction begun for them
        self.pooled = False
        self.session_since: datetime | None = None  # when the server began this session
        self.path = path
        self._writer = writer
        self._cursor = RawCursor(pg)
        self._beginner = RawCursor(pg)
        self._caller = RawCursor(pg)  # for appends alone: it knows the types of their values
        self._queueing = Queueing.NEVER
        self._collecting = False
        # Sent with the commit, or before the next statement: the values of appends, and statements that follow them.
        self.queue: list[tuple[Any, ...]] = []
        self._additions: list[tuple[str, Sequence[Any]]] = []
        self.sessions_of: dict[str, KnownSession] = {}  # of branches that this connection has appended to
        self._rows_changed = 0
        self._begins = False
        self._only_queued = False
        # how to ask for a transaction whose commit was not answered: by its number, or by its appends if it has no more
        self.transaction_id: str | None = None
        self.sent: list[tuple[Any, ...]] = []
        self.appender = None
        self.run = self._run  # type: ignore[assignment]
        self.execute = redacting(self._run) if writer else self._run
        self.run_many = self._run_many  # type: ignore[assignment]
        self.changes = lambda: self._rows_changed
        self.cursors: dict[str, AppendCursor] = {}
        self.session_cursors: dict[str, SessionCursor] = {}

    def _run(self, sql: str, params: Values = None) -> RawCursor[Row]:
        if sql == "BEGIN":
            sql = _BEGIN_READ
        statement = translate_sql(sql)
        if self._collecting:
            self._additions.append((statement.text, statement.bind(params) or ()))
            return self._cursor
        with self._plain():
            self._begin()
            cursor = self._cursor.execute(
                statement.text, statement.bind(params), prepare=None if statement.single else False
            )
        self._rows_changed = cursor.rowcount
        return cursor

    def call(self, text: str, values: Sequence[Any]) -> Row:
        """Call a function of ours that takes the write lock itself; returns its row."""
        self._only_queued = False
        with self._plain():
            if self.queue:
                self._send_queue()
            if self._begins and self.pooled:
                self._begins = False
                self._cursor.execute(f"BEGIN; SET LOCAL {_PATIENCE}")
            if self._begins:
                self._begins = False
                with self.pg.pipeline():  # one round trip for both
                    self._beginner.execute("BEGIN")
                    self._caller.execute(text, values)
            else:
                self._caller.execute(text, values)
            row = self._caller.fetchone()
        assert row is not None
        return row

    def be_patient(self) -> None:
        """Wait for the write lock as long as for that of a file; behind a pooler each transaction says so itself."""
        if not self.pooled:
            self.run(f"SET {_PATIENCE};{LET_GO}")

    def begin_write(self, queueing: Queueing = Queueing.NEVER) -> None:
        """Begin a transaction with its first statement, which takes the write lock before."""
        self._begins, self._only_queued, self._queueing = True, True, queueing
        self.transaction_id, self.sent = None, []
        self.forget_cursors()  # other processes append meanwhile

    @property
    def may_queue(self) -> bool:
        return self._queueing is Queueing.ALWAYS or (self._only_queued and self._queueing is Queueing.FIRST)

    def _begin(self) -> None:
        self._only_queued = False
        if self.queue:
            self._send_queue()
        if self._begins:
            self._begins = False
            self._cursor.execute(f"BEGIN; SET LOCAL {_PATIENCE}; {_LOCK}" if self.pooled else _BEGIN_WRITE)
            while self._cursor.nextset():
                pass
            self._note_transaction()

    def take_lock(self) -> None:
        """Take the write lock in a transaction that began with a call."""
        with self._plain():
            self._cursor.execute(_LOCK)
            self._note_transaction()

    def _note_transaction(self) -> None:
        row = self._cursor.fetchone()
        assert row is not None
        self.transaction_id = row[0]

    def add_append(self, values: tuple[Any, ...]) -> None:
        """Let an append wait; too many of them are sent."""
        self.queue.append(values)
        if len(self.queue) >= _SENT_AT_ONCE:
            with self._plain():
                self._send_queue()

    @contextmanager
    def queued(self) -> Iterator[None]:
        """Statements of the block wait with the append after them; their results are not read."""
        self._collecting = True
        try:
            yield
        finally:
            self._collecting = False

    def _send_queue(self) -> None:
        """Send what waits, in one round trip; more follows in its transaction."""
        with self.pg.pipeline():
            if self._begins:
                self._begins = False
                self._beginner.execute("BEGIN")
            self._execute_queue()
            self._cursor.execute(_NUMBER)
        self._note_transaction()

    def _commit_queue(self) -> None:
        """Send what waits and the end of its transaction, in one round trip."""
        if not self._begins:
            with self.pg.pipeline():
                self._execute_queue()
                self._beginner.execute("COMMIT")
            return
        # It is the whole transaction, and needs neither BEGIN nor COMMIT: a statement alone has a transaction of its
        # own, and so have those of a pipeline together.
        self._begins, self.sent = False, self.queue
        if not self._additions:
            self._execute_queue()
            return
        with self.pg.pipeline():
            self._execute_queue()

    def _execute_queue(self) -> None:
        """First the appends, whatever their sessions: the other statements only add to columns that appends leave."""
        queue, additions = self.queue, self._additions
        self.queue, self._additions = [], []
        if len(queue) == 1:
            self._caller.execute(_CALL_ONE, queue[0], prepare=True)
        else:
            columns = [list(column) for column in zip(*queue, strict=True)]
            columns[1] = ["1" if late else "0" for late in columns[1]]
            self._caller.execute(_CALL_MANY, columns, prepare=True)
        for text, group in groupby(sorted(additions, key=itemgetter(0)), itemgetter(0)):
            self._cursor.executemany(text, [values for _, values in group])

    def commit(self) -> None:
        if self.queue:
            with self._plain():
                self._commit_queue()
            return
        if self._begins:
            self._begins = False  # it did nothing
            return
        if self.pg.pgconn.transaction_status == pq.TransactionStatus.INERROR:
            # COMMIT would roll it back and report no error
            raise ServerError(
                StorageFailed(f"{self.path}: a statement failed, so nothing was stored", hint="try again")
            )
        with self._plain():
            self._cursor.execute("COMMIT")

    @property
    def is_writer(self) -> bool:
        return self._writer

    @property
    def in_transaction(self) -> bool:
        return self.pg.pgconn.transaction_status != pq.TransactionStatus.IDLE

    def is_cut(self) -> bool:
        """Whether the server has ended this idle connection: what it said last is there to be read."""
        if self.pg.closed:
            return True
        poll = select.poll()
        poll.register(self.pg.fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def one(self, sql: str, params: Params = _NONE) -> Row | None:
        with self._plain():
            return self.execute(sql, params).fetchone()

    def all(self, sql: str, params: Params = _NONE) -> list[Row]:
        with self._plain():
            return self.execute(sql, params).fetchall()

    def each(self, sql: str, params: Params = _NONE) -> Iterator[Row]:
        """Row by row through a cursor of the server, so that the loop may run other statements meanwhile."""
        statement = translate_sql(sql)
        with self._plain():
            self._begin()
            name = f"each_{next(self._cursors)}"
            with self._held(), RawServerCursor(self.pg, name, withhold=not self.in_transaction) as cursor:
                cursor.itersize = _FETCHED_AT_ONCE
                yield from cursor.execute(statement.text, statement.bind(params))

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Behind a pooler only a transaction keeps the session that has the cursor."""
        if not self.pooled or (self.in_transaction and not self._open_cursors):
            yield
            return
        if not self._open_cursors:
            self._cursor.execute(_BEGIN_READ)
        self._open_cursors += 1
        try:
            yield
        finally:
            self._open_cursors = max(0, self._open_cursors - 1)
            if not self._open_cursors and not self.pg.closed and self.in_transaction:
                self._cursor.execute("ROLLBACK")

    def dicts(self, sql: str, params: Params = _NONE) -> list[dict[str, Any]]:
        with self._plain():
            cursor = self.execute(sql, params)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def many(self, sql: str, rows: Iterable[Row]) -> None:
        self._run_many(sql, redacted_rows(sql, rows) if self._writer else rows)

    def _run_many(self, sql: str, rows: Iterable[Row]) -> None:
        """Many rows in one round trip: psycopg sends them in pipeline mode."""
        statement, source = translate_sql(sql), iter(rows)
        self._rows_changed = 0
        # the rows may be made by statements on this connection, so they are made before the next are sent
        while batch := list(islice(source, _SENT_AT_ONCE)):
            whole = 0
            with self._plain():
                self._begin()
                if statement.for_rows is not None and _length(batch) < _LONG:
                    # several rows in one statement: starting a statement costs as much as a row
                    whole = len(batch) - len(batch) % ROWS_AT_ONCE
                    parts = [batch[start : start + ROWS_AT_ONCE] for start in range(0, whole, ROWS_AT_ONCE)]
                    self._execute_many(statement.for_rows, [[*chain.from_iterable(part)] for part in parts])
                self._execute_many(statement.text, batch[whole:])

    def _execute_many(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            self._cursor.executemany(text, rows)
            self._rows_changed += self._cursor.rowcount

    @contextmanager
    def _plain(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise ServerError(translate_error(error, self.path)) from error

    def read_bytes(self, table: str, column: str, pk: int, start: int, end: int) -> bytes:
        sql = f"SELECT substr(convert_to({column}, 'UTF8'), :start, :length) FROM {table} WHERE pk = :pk"  # noqa: S608
        value: bytes = self.value(sql, {"start": start + 1, "length": end - start, "pk": pk})
        return value

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        self.begin_write()
        try:
            yield self
            self.commit()
        except BaseException:
            self.rollback()
            raise

    def rollback(self) -> None:
        self.forget_cursors()
        self._open_cursors = 0
        self._begins, self.transaction_id = False, None
        self.queue, self._additions = [], []
        if self.pg.closed or not self.in_transaction:
            return
        with self._plain():
            self._cursor.execute("ROLLBACK")

    def close(self) -> None:
        self.pg.close()


def _length(rows: Iterable[Row]) -> int:
    """Characters and bytes of the values of rows."""
    return sum(len(value) for row in rows for value in row if isinstance(value, (str, bytes)))


class _NoHandlers:
    """SQLite works and waits inside one call and needs handlers for that; a server does neither in our process."""

    def set_progress_handler(self, *_: object) -> None: ...
    def set_busy_handler(self, *_: object) -> None: ...
    def set_busy_timeout(self, *_: object) -> None: ...


_NO_HANDLERS = _NoHandlers()


def _adapt(pg: psycopg.Connection[Row]) -> None:
    """Values as SQLite's library gives and takes them."""
    adapters = pg.adapters
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_dumper(bool, _BoolDumper)
    adapters.register_loader("bool", _BoolLoader)
    adapters.register_loader("numeric", _NumericLoader)
    adapters.register_loader("json", _TextLoader)


class _BoolDumper(adapt.Dumper):
    """Without a type: the column or the condition decides whether it is a boolean or a number."""

    oid = 0

    def dump(self, obj: bool) -> bytes:
        return b"1" if obj else b"0"


class _BoolLoader(adapt.Loader):
    def load(self, data: Any) -> int:
        return int(bytes(data) == b"t")


class _NumericLoader(adapt.Loader):
    """A sum of integers is an integer."""

    def load(self, data: Any) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdigit() else float(text)


class _TextLoader(adapt.Loader):
    def load(self, data: Any) -> str:
        return bytes(data).decode()
