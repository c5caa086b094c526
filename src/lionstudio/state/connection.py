"""Our own thin connection: named parameters in, tuples or dictionaries out, errors in our own words.

State functions take this and never the library's connection, so that another database can stand behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import apsw

from lionstudio.errors import Busy, Conflict, CorruptStore, InvalidInput, LionError, StorageFailed, WrongVersion

if TYPE_CHECKING:
    from lionstudio.state.messages.append_cursor import AppendCursor, SessionCursor

Row = tuple[Any, ...]
Params = Mapping[str, Any]

_NONE: Params = {}

# of a column of an answer that could not be read as it is
_TEXT_OR_NOT = "typeof(c{0}) = 'text', CASE typeof(c{0}) WHEN 'text' THEN CAST(c{0} AS BLOB) ELSE c{0} END"


class Connection:
    """One database connection; used by one thread at a time."""

    __slots__ = ("changes", "execute", "path", "places", "raw", "run", "sessions")

    def __init__(self, raw: apsw.Connection, path: str) -> None:
        self.raw = raw
        self.path = path
        # the library's own bound methods: a call less for every statement of every message. `run` is for
        # statements without rows; it uses one cursor again and again, which halves what a call costs
        self.execute = raw.execute
        self.run = raw.cursor().execute
        self.changes = raw.changes
        self.places: dict[str, AppendCursor] = {}
        self.sessions: dict[str, SessionCursor] = {}

    def one(self, sql: str, params: Params = _NONE) -> Row | None:
        """The first row, None when there is none."""
        try:
            return self.execute(sql, params).fetchone()
        except UnicodeDecodeError:
            return next(self._legible(sql, params), None)

    def value(self, sql: str, params: Params = _NONE) -> Any:
        """The first column of the first row, None when there is none."""
        row = self.one(sql, params)
        return None if row is None else row[0]

    def all(self, sql: str, params: Params = _NONE) -> list[Row]:
        """Every row."""
        try:
            return self.execute(sql, params).fetchall()
        except UnicodeDecodeError:
            return list(self._legible(sql, params))

    def each(self, sql: str, params: Params = _NONE) -> Iterator[Row]:
        """Row by row, for results that should not be in memory at once."""
        given = 0
        try:
            for row in self.execute(sql, params):
                yield row
                given += 1
        except UnicodeDecodeError:
            yield from islice(self._legible(sql, params), given, None)

    def dicts(self, sql: str, params: Params = _NONE) -> list[dict[str, Any]]:
        """Every row as a dictionary by column name."""
        cursor = self.execute(sql, params)
        try:
            names = [column[0] for column in cursor.get_description()]
        except apsw.ExecutionCompleteError:  # no rows: the cursor is done before it was asked
            return []
        try:
            return [dict(zip(names, row, strict=True)) for row in cursor]
        except UnicodeDecodeError:
            return [dict(zip(names, row, strict=True)) for row in self._legible(sql, params)]

    def many(self, sql: str, rows: Iterable[Row]) -> None:
        """One statement for each row of values, by position."""
        self.raw.executemany(sql, rows)

    def _legible(self, sql: str, params: Params) -> Iterator[Row]:
        """A question again, after another tool's text broke the first answer: what is no UTF-8 is spelled out."""
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

    def first_dict(self, sql: str, params: Params = _NONE) -> dict[str, Any] | None:
        """The first row as a dictionary."""
        found = self.dicts(sql, params)
        return found[0] if found else None

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """BEGIN IMMEDIATE … COMMIT: a write that started never finds out later that it may not."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield self
            self.execute("COMMIT")
        except BaseException:
            self.rollback()
            raise

    def rollback(self) -> None:
        """Undo what is open; SQLite may have done so already after a failed write."""
        self.forget_places()  # what they know may be undone here
        if self.raw.in_transaction:
            self.execute("ROLLBACK")

    def forget_places(self) -> None:
        """Look places up again when they are next needed."""
        self.places.clear()
        self.sessions.clear()

    def close(self) -> None:
        """Give the file back."""
        self.raw.close()


# What the library raises: its own errors, and Python's for a value that it cannot bind.
LIBRARY_ERRORS = (apsw.Error, UnicodeError, OverflowError)


def translate(error: BaseException, path: str) -> LionError:
    """The library's error in our own words, with what to do about it."""
    if isinstance(error, UnicodeDecodeError):
        return _not_utf8(path)
    if not isinstance(error, apsw.Error):
        return InvalidInput(f"a database cannot hold that value ({error})", hint="give valid text, or a smaller number")
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return Busy(f"{path} is held by another process", hint="try again in a moment; `li ps` shows what runs")
    if isinstance(error, apsw.FullError):
        return StorageFailed(f"the disk that holds {path} is full", hint="free some space and run it again")
    if isinstance(error, (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError)):
        return StorageFailed(f"{path} cannot be written", hint="check the permissions of the file and its folder")
    if isinstance(error, apsw.NotADBError):
        return CorruptStore(f"{path} is not a database", hint="move it away, or restore a backup of it")
    if isinstance(error, apsw.CorruptError):
        return CorruptStore(f"{path} is damaged", hint="`li state doctor` says how; restore a backup")
    if isinstance(error, apsw.CantOpenError):
        return StorageFailed(f"{path} cannot be opened", hint="check that its folder exists and is yours")
    if isinstance(error, apsw.IOError):
        return StorageFailed(f"reading or writing {path} failed ({error})", hint="check the disk")
    if isinstance(error, apsw.TooBigError):
        return InvalidInput("that is more than one row can hold (1 GB)", hint="store it as a file and its path here")
    if isinstance(error, apsw.ConstraintError):
        return _refused(error)
    if isinstance(error, apsw.SQLError) and "no such" in str(error):
        return WrongVersion(f"{path} lacks something this version needs ({error})", hint="see `li state doctor`")
    return StorageFailed(f"{path}: {error}", hint="`li state doctor` may say more")


def _not_utf8(path: str) -> CorruptStore:
    return CorruptStore(f"{path} holds text that is not UTF-8", hint="another tool wrote it; restore a backup")


def _kind(error: apsw.ConstraintError) -> int | None:
    return getattr(error, "extendedresult", None)  # not in the library's type stubs


def refers_to_nothing(error: apsw.ConstraintError) -> bool:
    """Whether a row was refused because what it refers to is not there."""
    return _kind(error) == apsw.SQLITE_CONSTRAINT_FOREIGNKEY


def _refused(error: apsw.ConstraintError) -> LionError:
    if refers_to_nothing(error):
        return InvalidInput(
            "it refers to something that does not exist, or is still referred to", hint="create that first"
        )
    if _kind(error) in (apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_ROWID):
        return Conflict(f"that exists already ({error})")
    return InvalidInput(f"the database refuses that value ({error})")


@contextmanager
def plain_errors(path: str) -> Iterator[None]:
    """Let only our own errors out of a block of database work."""
    try:
        yield
    except LIBRARY_ERRORS as error:
        raise translate(error, path) from error
