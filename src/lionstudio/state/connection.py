"""Our own thin connection: named parameters in, tuples or dictionaries out, errors in our own words.

State functions take this and never the library's connection, so that another database can stand behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import apsw

from lionstudio.errors import (
    Busy,
    Conflict,
    CorruptStore,
    InvalidInput,
    LionError,
    StorageFailed,
    WrongVersion,
)

if TYPE_CHECKING:
    from lionstudio.state.places import Place, SessionPlace

Row = tuple[Any, ...]
Params = Mapping[str, Any]

_NONE: Params = {}


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
        self.places: dict[str, Place] = {}
        self.sessions: dict[str, SessionPlace] = {}

    def one(self, sql: str, params: Params = _NONE) -> Row | None:
        """The first row, None when there is none."""
        return self.execute(sql, params).fetchone()

    def value(self, sql: str, params: Params = _NONE) -> Any:
        """The first column of the first row, None when there is none."""
        row = self.execute(sql, params).fetchone()
        return None if row is None else row[0]

    def all(self, sql: str, params: Params = _NONE) -> list[Row]:
        """Every row."""
        return self.execute(sql, params).fetchall()

    def each(self, sql: str, params: Params = _NONE) -> Iterator[Row]:
        """Row by row, for results that should not be in memory at once."""
        return iter(self.execute(sql, params))

    def dicts(self, sql: str, params: Params = _NONE) -> list[dict[str, Any]]:
        """Every row as a dictionary by column name."""
        cursor = self.execute(sql, params)
        try:
            names = [column[0] for column in cursor.get_description()]
        except apsw.ExecutionCompleteError:  # no rows: the cursor is done before it was asked
            return []
        return [dict(zip(names, row, strict=True)) for row in cursor]

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
LIBRARY_ERRORS = (apsw.Error, UnicodeEncodeError, OverflowError)


def translate(error: BaseException, path: str) -> LionError:
    """The library's error in our own words, with what to do about it."""
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


def _refused(error: apsw.ConstraintError) -> LionError:
    kind = getattr(error, "extendedresult", None)  # not in the library's type stubs
    if kind == apsw.SQLITE_CONSTRAINT_FOREIGNKEY:
        return InvalidInput(
            "it refers to something that does not exist, or is still referred to", hint="create that first"
        )
    if kind in (
        apsw.SQLITE_CONSTRAINT_UNIQUE,
        apsw.SQLITE_CONSTRAINT_PRIMARYKEY,
        apsw.SQLITE_CONSTRAINT_ROWID,
    ):
        return Conflict(f"that exists already ({error})")
    return InvalidInput(f"the database refuses that value ({error})")


@contextmanager
def plain_errors(path: str) -> Iterator[None]:
    """Let only our own errors out of a block of database work."""
    try:
        yield
    except LIBRARY_ERRORS as error:
        raise translate(error, path) from error
