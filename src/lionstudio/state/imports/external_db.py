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
from lionstudio.state.sqlite.open import BUSY_TIMEOUT_MS, LINEAGE, refuse_lost_file, version_of

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
# Our own tables that hold only for one database: how far files and messages were read, the embedding model, pushes.
_LOCAL = frozenset({"mirror_files", "read_positions", "embedding_model", "machines", "push_marks", "pushed_sessions"})


def open_external(path: str) -> ExternalDb:
    """Open a database for reading only; raises WrongVersion unless it has sessions and messages."""
    if not os.path.exists(path):
        raise NotFound(f"file {path} not found", hint="pass the path of a state.db")
    if os.path.isdir(path):
        raise InvalidInput(f"{path} is a folder", hint="pass the path of the state.db in it")
    for file in (path, f"{path}-wal", f"{path}-shm", f"{path}-journal"):
        if os.path.lexists(file) and not os.path.isfile(file):
            raise InvalidInput(f"{file} is not a regular file", hint="pass the path of a state.db")
    with plain_errors(path):
        source = ExternalDb(_connect(path))
        try:
            source.check()
        except BaseException:
            source.close()
            raise
    return source


def _connect(path: str) -> Connection:
    # a reader that may not write leaves -wal and -shm behind; one that may, removes them when it is the last to close
    flags = apsw.SQLITE_OPEN_READONLY if os.path.exists(f"{path}-wal") else apsw.SQLITE_OPEN_READWRITE
    try:
        refuse_lost_file(path)
        return _opened(apsw.Connection(path, flags=flags), path)
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
    # another program made this file: nothing of its schema may run, and no value may fill the memory
    conn.execute("PRAGMA trusted_schema = OFF")
    for switch, on in (
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),  # our own temporary view is not affected
    ):
        raw.config(switch, on)
    raw.limit(apsw.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    _limit_work(raw)
    raw.authorizer = _refuse_writes
    conn.execute("PRAGMA temp_store = FILE")
    conn.value("SELECT count(*) FROM sqlite_schema")
    return conn


MOST_BYTES = 256 * 2**20  # of one value or row
MOST_STEPS = 5_000_000_000  # of SQLite's machine for one statement: a minute or more of work
_STEPS_AT_A_TIME = 1_000_000


def _limit_work(raw: apsw.Connection) -> None:
    """End a statement that does not end by itself."""
    steps = 0

    def begin(_cursor: object, _sql: str, _bindings: object) -> bool:
        nonlocal steps
        steps = 0
        return True

    def has_too_many() -> bool:
        nonlocal steps
        steps += _STEPS_AT_A_TIME
        return steps > MOST_STEPS

    raw.exec_trace = begin
    raw.set_progress_handler(has_too_many, _STEPS_AT_A_TIME)


_WRITES = frozenset({apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE})


def _refuse_writes(action: int, _first: str | None, _second: str | None, schema: str | None, _by: str | None) -> int:
    """Allow writes to our temporary tables only (PRAGMA query_only would refuse those too)."""
    return apsw.SQLITE_DENY if action in _WRITES and schema == "main" else apsw.SQLITE_OK


_TABLES = """
SELECT name, type = 'view' OR sql LIKE 'CREATE VIRTUAL%' FROM sqlite_schema
 WHERE type IN ('table', 'view') ORDER BY name
"""
# without generated columns: their expressions are code of the file
_COLUMNS = "SELECT name FROM pragma_table_xinfo(:table) WHERE hidden = 0"
# our own `progressions` is a view; it is read by a view of ours and not by that of the file
_OWN_ORDER = """
CREATE TEMP VIEW read_progressions (id, collection) AS
  SELECT h.id, (SELECT json_group_array(x.message_id)
                  FROM (SELECT i.message_id FROM main.progression_items i WHERE i.prog = h.pk ORDER BY i.ord) x)
    FROM main.progression_heads h
"""
_OTHER_ORDER = "CREATE TEMP VIEW read_progressions (id, collection) AS SELECT id, collection FROM main.progressions"
_DATA_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"


class ExternalDb:
    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.path = conn.path
        self.columns: dict[str, tuple[str, ...]] = {}
        self.lineage = ""

    def check(self) -> None:
        """Read the tables and columns; raises WrongVersion without sessions and messages."""
        computed = set()
        for table, is_computed in self.conn.all(_TABLES):
            if is_computed:
                computed.add(table)
            else:
                self.columns[table] = tuple(row[0] for row in self.conn.all(_COLUMNS, {"table": table}))
        if self.has("progression_heads", "pk", "id") and self.has("progression_items", "prog", "ord", "message_id"):
            computed.discard("progressions")
            self.columns["progressions"] = ("id", "collection")
            self.conn.execute(_OWN_ORDER)
        elif self.has("progressions", "id", "collection"):
            self.conn.execute(_OTHER_ORDER)
        if refused := sorted(computed & _READ):
            raise WrongVersion(
                f"{self.path}: {', '.join(refused)} must be a table; a view or a virtual table is not imported",
                hint="pass the state.db of Lion Studio or of a tool with the same tables",
            )
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
        return table in self.columns and set(columns) <= set(self.columns[table])

    def select(self, table: str) -> str:
        """The stored columns of a table, for a SELECT."""
        return ", ".join('t."' + name.replace('"', '""') + '"' for name in self.columns[table])

    def unread_tables(self) -> list[str]:
        """The tables that an import does not read."""
        names = [name for (name,) in self.conn.all(_DATA_TABLES)]
        skipped = _READ | _LOCAL if self.lineage == LINEAGE else _READ
        return [name for name in names if name not in skipped and not name.startswith(_DERIVED)]

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
