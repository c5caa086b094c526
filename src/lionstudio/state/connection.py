"""The connection that state functions take: named parameters in, tuples or dictionaries out, our own errors.

State functions never see the library's connection, so that another database can take its place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import apsw

from lionstudio.errors import Busy, Conflict, CorruptStore, InvalidInput, LionError, StorageFailed, WrongVersion
from lionstudio.state.bound_values import redacted_rows, redacting
from lionstudio.system.filelock import check_locks

if TYPE_CHECKING:
    from lionstudio.state.messages.append import Appended
    from lionstudio.state.messages.append_cursor import AppendCursor, SessionCursor

Row = tuple[Any, ...]
Params = Mapping[str, Any]

_NONE: Params = {}

# two columns for each column of a result that holds text in another encoding: whether it is text, and its bytes
_TEXT_OR_NOT = "typeof(c{0}) = 'text', CASE typeof(c{0}) WHEN 'text' THEN CAST(c{0} AS BLOB) ELSE c{0} END"


class Connection:
    """One database connection; used by one thread at a time."""

    pooled = False  # whether a pooler gives each transaction another session, without temporary tables
    __slots__ = (
        "_writer",
        "appender",
        "changes",
        "cursors",
        "execute",
        "path",
        "raw",
        "run",
        "run_many",
        "session_cursors",
    )

    def __init__(self, raw: apsw.Connection, path: str, *, writer: bool = False) -> None:
        self.raw = raw
        self.path = path
        self._writer = writer
        # the library's own bound methods save a call for every statement of every message. `run` and `run_many` are
        # for statements without rows and with values that are ids or redacted; they use one cursor again and again
        self.execute = redacting(raw.execute) if writer else raw.execute
        cursor = raw.cursor()
        self.run, self.run_many = cursor.execute, cursor.executemany
        self.changes = raw.changes
        self.appender: Callable[..., Appended] | None = None  # a database that appends in its own way
        self.cursors: dict[str, AppendCursor] = {}  # by branch
        self.session_cursors: dict[str, SessionCursor] = {}

    def one(self, sql: str, params: Params = _NONE) -> Row | None:
        try:
            return self.execute(sql, params).fetchone()
        except UnicodeDecodeError:
            return next(self._escaped(sql, params), None)

    def value(self, sql: str, params: Params = _NONE) -> Any:
        """The first column of the first row, None without a row."""
        row = self.one(sql, params)
        return None if row is None else row[0]

    def all(self, sql: str, params: Params = _NONE) -> list[Row]:
        try:
            return self.execute(sql, params).fetchall()
        except UnicodeDecodeError:
            return list(self._escaped(sql, params))

    def each(self, sql: str, params: Params = _NONE) -> Iterator[Row]:
        """Row by row, for results that should not be in memory at once."""
        count = 0
        try:
            for row in self.execute(sql, params):
                yield row
                count += 1
        except UnicodeDecodeError:
            yield from islice(self._escaped(sql, params), count, None)

    def dicts(self, sql: str, params: Params = _NONE) -> list[dict[str, Any]]:
        cursor = self.execute(sql, params)
        try:
            names = [column[0] for column in cursor.get_description()]
        except apsw.ExecutionCompleteError:  # without rows the cursor is finished already
            return []
        try:
            return [dict(zip(names, row, strict=True)) for row in cursor]
        except UnicodeDecodeError:
            return [dict(zip(names, row, strict=True)) for row in self._escaped(sql, params)]

    def many(self, sql: str, rows: Iterable[Row]) -> None:
        """Run a statement once for each row of positional values."""
        self.raw.executemany(sql, redacted_rows(sql, rows) if self._writer else rows)

    def _escaped(self, sql: str, params: Params) -> Iterator[Row]:
        """Run a query again whose result held text that is not UTF-8, and escape that text."""
        if sql.split(maxsplit=1)[0].upper() not in ("SELECT", "WITH"):
            raise _not_utf8(self.path)  # it may have written, and must not do so twice
        width = len(self.execute(sql, params).get_description())
        names = ", ".join(f"c{number}" for number in range(width))
        pairs = ", ".join(_TEXT_OR_NOT.format(number) for number in range(width))
        for row in self.execute(f"WITH answer ({names}) AS ({sql}) SELECT {pairs} FROM answer", params):  # noqa: S608
            yield tuple(
                value.decode("utf-8", "backslashreplace") if is_text else value
                for is_text, value in zip(row[::2], row[1::2], strict=True)
            )

    def read_bytes(self, table: str, column: str, pk: int, start: int, end: int) -> bytes:
        """Some bytes of a text or blob, without reading the others."""
        blob = self.raw.blob_open("main", table, column, pk, False)
        try:
            blob.seek(min(start, blob.length()))
            return blob.read(end - start)
        finally:
            blob.close()

    def first_dict(self, sql: str, params: Params = _NONE) -> dict[str, Any] | None:
        rows = self.dicts(sql, params)
        return rows[0] if rows else None

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """BEGIN IMMEDIATE … COMMIT: a write that started cannot fail later for lack of the lock."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield self
            self.execute("COMMIT")
        except BaseException:
            self.rollback()
            raise

    def rollback(self) -> None:
        """Roll back the open transaction; SQLite may have done so already after a failed write."""
        self.forget_cursors()  # they may count rows that are rolled back here
        if self.raw.in_transaction:
            self.execute("ROLLBACK")

    def is_cut(self) -> bool:
        """Whether a server has ended this connection; a file ends none."""
        return False

    @property
    def in_transaction(self) -> bool:
        return self.raw.in_transaction

    def forget_cursors(self) -> None:
        self.cursors.clear()
        self.session_cursors.clear()

    def close(self) -> None:
        self.raw.close()


class Unavailable(StorageFailed):
    """The server of the database cannot be reached; nothing is wrong with what was sent."""

    code = "unavailable"
    exit_code = Busy.exit_code  # a retry may succeed


class ServerRefused(Unavailable):
    """The server does not let us in, or has no such database: waiting does not help."""

    exit_code = StorageFailed.exit_code
    retryable = False


class ReadOnlyServer(Unavailable):
    """The server takes no writes, as a standby; waiting helps where it becomes the primary."""

    exit_code = StorageFailed.exit_code


class ServerError(Exception):
    """An error of a database server, with our own error for it.

    Like the library's, it is not a LionError: a function that handles those must not go on in a transaction that a
    failed statement has ended.
    """

    def __init__(self, ours: LionError) -> None:
        super().__init__(ours.message)
        self.ours = ours


# The library raises its own errors, and Python's for a value that it cannot bind.
LIBRARY_ERRORS = (apsw.Error, UnicodeError, OverflowError, ServerError)
ConstraintError = apsw.ConstraintError
_SHARED_MEMORY = 32_768  # bytes of the first part of the -shm file


def translate(error: BaseException, path: str) -> LionError:
    """Our own error for an error of the library, with a hint."""
    if isinstance(error, ServerError):
        return error.ours
    if isinstance(error, UnicodeDecodeError):
        return _not_utf8(path)
    if not isinstance(error, apsw.Error):
        return InvalidInput(
            f"the database cannot store that value ({error})", hint="pass valid text, or a smaller number"
        )
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        try:
            check_locks(os.path.dirname(os.path.abspath(path)))
        except StorageFailed as no_locks:
            return no_locks
        except OSError:
            pass  # a folder that cannot be written says nothing about locks
        return Busy(f"{path} is locked by another process", hint="li ps, then try again")
    if isinstance(error, apsw.FullError) or (isinstance(error, apsw.IOError) and _is_disk_full(path)):
        return StorageFailed(f"the disk with {path} is full", hint="free some space and run the command again")
    if isinstance(error, (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError)):
        return StorageFailed(f"{path} cannot be written", hint="check the permissions of the file and its folder")
    if isinstance(error, apsw.NotADBError):
        return CorruptStore(
            f"{path} is not a Lion Studio database", hint="check the path; a damaged file is restored from a backup"
        )
    if isinstance(error, apsw.CorruptError):
        return CorruptStore(f"{path} is damaged", hint="li state doctor")
    if isinstance(error, apsw.CantOpenError):
        return StorageFailed(f"{path} cannot be opened", hint="check that its folder exists and is yours")
    if isinstance(error, apsw.IOError):
        return StorageFailed(f"reading or writing {path} failed ({error})", hint="check the disk")
    if isinstance(error, apsw.TooBigError):
        return InvalidInput(
            "the value exceeds the limit of a row (1 GB)", hint="store it as a file and record its path"
        )
    if isinstance(error, apsw.ConstraintError):
        return _constraint_error(error)
    if isinstance(error, apsw.SQLError) and "no such" in str(error):
        return WrongVersion(f"{path} lacks a table or column that this version needs ({error})", hint="li state doctor")
    return StorageFailed(f"{path}: {error}", hint="li state doctor")


def _is_disk_full(path: str) -> bool:
    """Whether not even the file of the shared memory fits, for which the library reports an I/O error."""
    try:
        disk = os.statvfs(os.path.dirname(os.path.abspath(path)))
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _SHARED_MEMORY


def _not_utf8(path: str) -> CorruptStore:
    return CorruptStore(f"{path} contains text that is not UTF-8", hint="another tool wrote it; restore a backup")


def _kind(error: apsw.ConstraintError) -> int | None:
    return getattr(error, "extendedresult", None)  # not in the library's type stubs


def is_foreign_key_error(error: apsw.ConstraintError) -> bool:
    return _kind(error) == apsw.SQLITE_CONSTRAINT_FOREIGNKEY


def _constraint_error(error: apsw.ConstraintError) -> LionError:
    if is_foreign_key_error(error):
        return InvalidInput(
            "foreign key violation: the referenced row is missing, or the row is still referenced",
            hint="create the referenced row first",
        )
    if _kind(error) in (apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_ROWID):
        return Conflict(f"the row exists already ({error})")
    return InvalidInput(f"the database rejects that value ({error})")


@contextmanager
def plain_errors(path: str) -> Iterator[None]:
    """Translate the library's errors in a block of database work."""
    try:
        yield
    except LIBRARY_ERRORS as error:
        raise translate(error, path) from error
