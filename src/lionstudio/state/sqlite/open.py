"""Open the database file: pragmas in the only safe order, creation, version check, read-only fallback.

Never `open()` the database file by hand: closing that descriptor drops SQLite's locks.
"""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress

import apsw

from lionstudio.errors import CorruptStore, NotFound, StorageFailed, WrongVersion
from lionstudio.state.connection import Connection, plain_errors
from lionstudio.state.sqlite.busy_handler import set_busy_wait

# migrations/from_version_N.sql leads to version N + 1, and schema.sql is what the last of them leads to
SCHEMA_VERSION = 1 + max(
    int(name[len("from_version_") : -len(".sql")])
    for name in os.listdir(os.path.join(os.path.dirname(__file__), "migrations"))
    if name.startswith("from_version_") and name.endswith(".sql")
)
LINEAGE = "lion-studio"
OLDEST_VERSION = 1  # v1 of the design records; a file without schema_meta counts as that

BUSY_TIMEOUT_MS = 30_000
AUTOCHECKPOINT = 1000  # frames; the visible policy of short-lived commands (ADR-0009)
WAL_LIMIT = 64 * 1024 * 1024

_READ = apsw.SQLITE_OPEN_READONLY
_WRITE = apsw.SQLITE_OPEN_READWRITE


def open_writer(path: str, *, create: bool = True) -> Connection:
    """A connection that may write; the database is created or upgraded to the current version first."""
    with plain_errors(path):
        if not create and not os.path.exists(path):
            raise NotFound(f"database {path} not found", hint="record a run first, for example with `li agent`")
        conn = _connect(path, _WRITE | (apsw.SQLITE_OPEN_CREATE if create else 0))
        try:
            current = version_of(conn)
            if current is not None:
                check_known(path, *current)
            _prepare_writer(conn)
            if current != (SCHEMA_VERSION, LINEAGE):
                # loaded only when needed: most commands open a current database
                from lionstudio.state.sqlite import migrate

                migrate.bring_up_to_date(conn, current)
        except BaseException:
            # closing must not write either: a foreign file is left exactly as it was
            conn.raw.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            conn.close()
            raise
    return conn


def open_reader(path: str) -> Connection:
    """A connection that only reads; it never needs the write lock, and opens a newer database too."""
    with plain_errors(path):
        if not os.path.exists(path):
            raise NotFound(f"database {path} not found", hint="record a run first, for example with `li agent`")
        conn = _open_for_reading(path)
        try:
            check_readable(conn)
        except BaseException:
            conn.close()
            raise
    return conn


def _open_for_reading(path: str) -> Connection:
    try:
        conn = _connect(path, _READ)
        conn.value("SELECT count(*) FROM sqlite_schema")
        return conn
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # a read-only folder cannot hold the shared memory file; without a WAL nothing is missing
        if os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal"):
            raise
        uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?immutable=1"
        return Connection(apsw.Connection(uri, flags=_READ | apsw.SQLITE_OPEN_URI), path)


def _check_regular(path: str) -> None:
    """A pipe or a device in place of the file would block forever."""
    with suppress(OSError):
        mode = os.stat(path).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode):
            raise CorruptStore(f"{path} is not a regular file", hint="move it away, or set LIONAGI_DB to another path")


def _connect(path: str, flags: int) -> Connection:
    _check_regular(path)
    # db, -wal and -shm are created with mode 0600: by umask, because opening the file itself would drop locks
    before = os.umask(0o077) if flags & apsw.SQLITE_OPEN_CREATE else None
    try:
        if before is not None:
            _make_folder(os.path.dirname(os.path.abspath(path)))
        raw = apsw.Connection(path, flags=flags)
        set_busy_wait(raw, BUSY_TIMEOUT_MS)
        return Connection(raw, path)
    finally:
        if before is not None:
            os.umask(before)


def _make_folder(folder: str) -> None:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageFailed(f"cannot create the folder {folder}: {reason}", hint="check its permissions") from error


def _prepare_writer(conn: Connection) -> None:
    if conn.value("PRAGMA journal_mode") != "wal":
        # auto_vacuum only takes effect before WAL and before the first table
        conn.execute("PRAGMA auto_vacuum = INCREMENTAL")
        _switch_to_wal(conn)
    conn.execute("PRAGMA synchronous = NORMAL")
    conn.execute("PRAGMA foreign_keys = ON")
    conn.raw.wal_autocheckpoint(AUTOCHECKPOINT)
    # a WAL that grew during a long read is truncated when it restarts
    conn.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT}")


def _switch_to_wal(conn: Connection) -> None:
    """The switch needs exclusive access for an instant, and SQLite does not wait for it by itself."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            mode = conn.value("PRAGMA journal_mode = WAL")
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)
            continue
        if mode == "wal":
            return
        raise StorageFailed(
            f"{conn.path} is on a file system without WAL support (a network drive?)",
            hint="set LIONAGI_HOME to a folder on a local disk",
        )


_VERSION_AND_LINEAGE = "SELECT version, lineage FROM schema_meta ORDER BY version DESC LIMIT 1"
_VERSION_ONLY = "SELECT version, '' FROM schema_meta ORDER BY version DESC LIMIT 1"


def version_of(conn: Connection) -> tuple[int, str] | None:
    """(version, lineage) of the file, None when it is empty."""
    if conn.raw.in_transaction:
        return _version(conn)
    # one transaction: between two statements another process may create or upgrade the file
    conn.execute("BEGIN")
    try:
        return _version(conn)
    finally:
        conn.rollback()


def _version(conn: Connection) -> tuple[int, str] | None:
    columns = [row[0] for row in conn.all("SELECT name FROM pragma_table_info('schema_meta')")]
    if not columns:
        if not conn.value("SELECT count(*) FROM sqlite_schema"):
            return None
        _check_records(conn)
        return OLDEST_VERSION, ""
    if "version" in columns:
        ours = "lineage" in columns
        row = conn.one(_VERSION_AND_LINEAGE if ours else _VERSION_ONLY)
    else:
        row = (
            conn.value("SELECT value FROM schema_meta WHERE key IN ('version', 'schema_version')"),
            conn.value("SELECT value FROM schema_meta WHERE key = 'lineage'"),
        )
    if not (row[1] if row else None):
        _check_records(conn)
    if row is None or not str(row[0]).isdigit() or int(row[0]) < OLDEST_VERSION:
        raise CorruptStore(f"{conn.path} has no valid schema version", hint="restore a backup of it")
    return int(row[0]), str(row[1] or "")


_RECORDS = """
SELECT count(*) FROM sqlite_schema
 WHERE type = 'table' AND name IN ('messages', 'progressions', 'sessions', 'branches')
"""


def _check_records(conn: Connection) -> None:
    """A file without a lineage is an old one of ours only if it has the four tables of ADR-0009."""
    if conn.value(_RECORDS) < 4:
        raise WrongVersion(
            f"{conn.path} is the database of another program; it was not changed",
            hint="set LIONAGI_HOME, or LIONAGI_DB, to another path",
        )


class NeedsUpgrade(WrongVersion):
    """An older database of ours; opening it for writing upgrades it, after a backup."""


def check_readable(conn: Connection) -> None:
    """Raise unless this version can read the database."""
    current = version_of(conn)
    if current is None:
        raise NotFound(f"{conn.path} is empty", hint="record a run first, for example with `li agent`")
    version, lineage = current
    if lineage == LINEAGE and version >= SCHEMA_VERSION:
        return
    check_known(conn.path, version, lineage)
    raise NeedsUpgrade(
        f"{conn.path} has schema version {version} and must be upgraded to {SCHEMA_VERSION} first",
        hint="`li state checkpoint` upgrades it, after a backup",
    )


def check_known(path: str, version: int, lineage: str) -> None:
    """Raise WrongVersion for a database of another product or of a newer version."""
    if lineage not in ("", LINEAGE) or (not lineage and version > 2):
        product = f"'{lineage}'" if lineage else f"another product (schema version {version})"
        raise WrongVersion(
            f"{path} was written by {product}, not by Lion Studio; it was not changed",
            hint="set LIONAGI_HOME to another folder, then import it with `li state import-db`",
        )
    if version > SCHEMA_VERSION:
        raise WrongVersion(
            f"{path} was written by a newer Lion Studio (schema version {version}, this one supports "
            f"{SCHEMA_VERSION}); reading works, writing does not",
            hint="upgrade with `pip install -U lion-studio`",
        )


def schema_columns(table: str) -> list[str]:
    """The columns of a table in schema.sql; lists need them before any dataclass is loaded."""
    with open(os.path.join(os.path.dirname(__file__), "schema", "schema.sql"), encoding="utf-8") as file:
        _, _, rest = file.read().partition(f"CREATE TABLE {table} (\n")
    return re.findall(r"^  (\w+) ", rest.partition("\n);")[0], re.MULTILINE)


def schema_sql() -> str:
    """The schema of a new database, with its version."""
    # slow to load, and only needed when a file is created
    from importlib import resources

    folder = resources.files("lionstudio.state.sqlite.schema")
    texts = [folder.joinpath(name).read_text(encoding="utf-8") for name in ("schema.sql", "triggers.sql")]
    version = f"INSERT INTO schema_meta (version, lineage) VALUES ({SCHEMA_VERSION}, '{LINEAGE}');\n"  # noqa: S608  (both are ours)
    return "\n".join([*texts, version])
