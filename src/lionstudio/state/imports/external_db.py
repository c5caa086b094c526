"""Open another database for reading: of another program or another home, by the columns that it has.

No transaction stays open between two sessions: it would keep the owner's log from shrinking.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

import apsw

from lionstudio.errors import Busy, CorruptStore, InvalidInput, NotFound, StorageFailed, WrongVersion
from lionstudio.state.connection import Connection, plain_errors, translate
from lionstudio.state.sqlite.open import BUSY_TIMEOUT_MS, version_of

_NEEDED: Mapping[str, tuple[str, ...]] = {"sessions": ("id",), "messages": ("id", "content")}
# Tables that an import reads; the report names all others.
_READ = frozenset(
    {
        "sessions",
        "branches",
        "messages",
        "message_types",
        "progressions",
        "shows",
        "plays",
        "teams",
        "team_messages",
        "definitions",
        "schema_meta",
        "progression_heads",
        "progression_items",
    }
)
# Tables that SQLite or our own schema derives from those.
_DERIVED = ("sqlite_", "messages_fts", "sessions_fts", "sessions_words_fts", "changes", "session_counts", "search_")


def open_external(path: str) -> ExternalDb:
    """Open a database for reading only; raises WrongVersion unless it has sessions and messages."""
    if not os.path.exists(path):
        raise NotFound(f"file {path} not found", hint="pass the path of a state.db")
    if os.path.isdir(path):
        raise InvalidInput(f"{path} is a folder", hint="pass the path of the state.db in it")
    with plain_errors(path):
        source = ExternalDb(_connect(path))
        try:
            source.check()
        except BaseException:
            source.close()
            raise
    return source


def _connect(path: str) -> Connection:
    try:
        return _opened(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY), path)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # a read-only folder cannot hold the shared memory file; without a log nothing is missing
        if os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal"):
            raise StorageFailed(
                f"{path} has a write-ahead log that cannot be read from here",
                hint="copy state.db and state.db-wal to a writable folder, then import that",
            ) from None
        address = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return _opened(apsw.Connection(address, flags=flags), path)


def _opened(raw: apsw.Connection, path: str) -> Connection:
    raw.set_busy_timeout(BUSY_TIMEOUT_MS)
    conn = Connection(raw, path)
    # another program made this file: its schema must not run functions
    conn.execute("PRAGMA trusted_schema = OFF")
    conn.execute("PRAGMA temp_store = FILE")
    conn.value("SELECT count(*) FROM sqlite_schema")
    return conn


_TABLES = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name"
_COLUMNS = "SELECT name FROM pragma_table_info(:table)"
_DATA_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"


class ExternalDb:
    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.path = conn.path
        self.columns: dict[str, frozenset[str]] = {}
        self.lineage = ""

    def check(self) -> None:
        """Read the tables and columns; raises WrongVersion without sessions and messages."""
        for (table,) in self.conn.all(_TABLES):
            self.columns[table] = frozenset(row[0] for row in self.conn.all(_COLUMNS, {"table": table}))
        for table, columns in _NEEDED.items():
            missing = [name for name in columns if name not in self.columns.get(table, ())]
            if missing:
                raise WrongVersion(
                    f"{self.path} has no {table} with {', '.join(missing)}, so there is nothing to import",
                    hint="pass the state.db of Lion Studio or of a tool with the same tables",
                )

        with suppress(CorruptStore):  # a file without a version is read by its columns
            self.lineage = (version_of(self.conn) or (0, ""))[1]

    def has(self, table: str, *columns: str) -> bool:
        """Whether a table exists with these columns."""
        return set(columns) <= self.columns.get(table, frozenset()) and table in self.columns

    def unread_tables(self) -> list[str]:
        """The tables that an import does not read."""
        names = [name for (name,) in self.conn.all(_DATA_TABLES)]
        return [name for name in names if name not in _READ and not name.startswith(_DERIVED)]

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Turn damage into an error of one item; only a locked file ends the import."""
        try:
            yield
        except apsw.Error as error:
            ours = translate(error, self.path)
            if isinstance(ours, Busy):
                raise ours from error
            raise InvalidInput(f"cannot read {what}: {ours.message}") from error
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{what} contains text that is not UTF-8 ({error.reason})") from None

    def close(self) -> None:
        self.conn.close()

    def __enter__(self) -> ExternalDb:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
