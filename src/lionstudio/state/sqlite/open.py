"""Open the database file: pragmas in the only safe order, creation, version check, read-only fallback.

Never `open()` the database file by hand: closing that descriptor drops SQLite's locks.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import time
from collections.abc import Callable
from contextlib import suppress

import apsw

from lionstudio.errors import CorruptStore, InvalidInput, NotFound, StorageFailed, WrongVersion
from lionstudio.settings import is_url
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
    if is_url(path):
        raise InvalidInput(f"{path} is not a file", hint="this command needs a SQLite file: --db FILE")
    from lionstudio.model.redaction.process import read_environment  # readers do without it

    read_environment()
    with plain_errors(path):
        if not create and not os.path.exists(path):
            refuse_lost_file(path)
            raise NotFound(f"database {path} not found", hint="li agent script '@say hello'")
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
            refuse_lost_file(path)
            raise NotFound(f"database {path} not found", hint="li agent script '@say hello'")
        conn = open_for_reading(path)
        try:
            check_readable(conn)
        except BaseException:
            conn.close()
            raise
    return conn


def open_in_memory() -> Connection:
    """An empty database of this process, for rows that the file cannot take."""
    conn = Connection(apsw.Connection(":memory:"), ":memory:")
    conn.execute(schema_sql())
    return conn


def open_for_reading(path: str) -> Connection:
    """A read-only connection to a file of any version."""
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


def check_regular(path: str) -> None:
    """A pipe or a device in place of the file would block forever."""
    with suppress(OSError):
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise CorruptStore(f"{path} is not a regular file", hint="move it away, or set LIONAGI_DB to another path")


_JOURNAL = struct.Struct(">8x8xI")  # magic, two numbers, and the size that the database had, in pages


def refuse_lost_file(path: str) -> None:
    """Refuse an empty or missing file beside a log: SQLite would create one and delete the log, the only data left.

    The journal of a database that is being created says that it was empty before.
    """
    try:
        if os.stat(path).st_size:
            return
        state = "is empty"
    except FileNotFoundError:
        state = "is missing"
    except OSError:
        return
    log = next((log for log in (f"{path}-wal", f"{path}-journal") if _holds_data(log)), None)
    if log is not None:
        raise CorruptStore(
            f"{path} {state}, but {log} holds data; nothing was changed",
            hint=f"restore a backup of {path}, or move {log} away to start with an empty database",
        )


def _holds_data(log: str) -> bool:
    with suppress(OSError):
        if log.endswith("-wal"):
            return os.stat(log).st_size > 0
        with open(log, "rb") as file:  # not the database: SQLite holds no lock on it
            head = file.read(_JOURNAL.size)
        return len(head) == _JOURNAL.size and bool(_JOURNAL.unpack(head)[0])
    return False


# Statements that the library keeps prepared, at most. It drops one for each execution, not the one that is unused the
# longest: of its default of 100, some dozen messages leave only their own, and each new session compiles its triggers.
_STATEMENTS = 512


def _connect(path: str, flags: int) -> Connection:
    check_regular(path)
    refuse_lost_file(path)
    if flags & apsw.SQLITE_OPEN_CREATE:
        from lionstudio.system.atomic_write import private_umask  # readers do without it

        # db, -wal and -shm are created with mode 0600: by umask, because opening the file itself would drop locks
        with private_umask():
            _make_folder(os.path.dirname(os.path.abspath(path)))
            raw = apsw.Connection(path, flags=flags, statementcachesize=_STATEMENTS)
    else:
        raw = apsw.Connection(path, flags=flags, statementcachesize=_STATEMENTS)
    set_busy_wait(raw, BUSY_TIMEOUT_MS)
    return Connection(raw, path, writer=bool(flags & _WRITE))


def _make_folder(folder: str) -> None:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageFailed(f"cannot create the folder {folder}: {reason}", hint="check its permissions") from error


# NORMAL: a commit survives the death of any process; FULL: it is on the disk, and survives a power cut too
_SYNCHRONOUS = {"process": "PRAGMA synchronous = NORMAL", "power": "PRAGMA synchronous = FULL"}
_durability = "process"


def set_durability(durability: str) -> None:
    """Set what commits of this process survive: the setting `durability`."""
    global _durability
    _durability = durability


def synchronous_mode() -> int:
    """The value of PRAGMA synchronous that writers of this process set."""
    return 2 if _durability == "power" else 1


def _prepare_writer(conn: Connection) -> None:
    if conn.value("PRAGMA journal_mode") != "wal":
        # auto_vacuum only takes effect before WAL and before the first table
        conn.execute("PRAGMA auto_vacuum = INCREMENTAL")
        _switch_to_wal(conn)
    conn.execute(_SYNCHRONOUS[_durability])
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
            hint="choose another path with --db, LIONAGI_DB or LIONAGI_HOME; `li config` prints where this one was set",
        )


def _log(line: str) -> None:
    import logging  # only for an upgrade

    logging.getLogger("lionstudio").warning(line)


# receives one line when a file is upgraded; programs find it in their log, commands and Studio set their own
announce: Callable[[str], None] = _log


class NeedsUpgrade(WrongVersion):
    """An older database of ours; opening it for writing upgrades it, after a backup."""


def check_readable(conn: Connection) -> None:
    """Raise unless this version can read the database."""
    current = version_of(conn)
    if current is None:
        raise NotFound(f"{conn.path} is empty", hint="li agent script '@say hello'")
    version, lineage = current
    if lineage == LINEAGE and version >= SCHEMA_VERSION:
        return
    check_known(conn.path, version, lineage)
    raise NeedsUpgrade(
        f"{conn.path} has schema version {version} and must be upgraded to {SCHEMA_VERSION} first",
        hint="li state upgrade",
    )


def check_known(path: str, version: int, lineage: str) -> None:
    """Raise WrongVersion for a database of another product or of a newer version."""
    if lineage not in ("", LINEAGE) or (not lineage and version > 2):
        product = f"'{lineage}'" if lineage else f"another product (schema version {version})"
        raise WrongVersion(
            f"{path} was written by {product}, not by Lion Studio; it was not changed",
            hint=f"li --home NEW_FOLDER state import-db {path}",
        )
    if version > SCHEMA_VERSION:
        raise WrongVersion(
            f"{path} was written by a newer Lion Studio (schema version {version}, this one supports "
            f"{SCHEMA_VERSION}); reading works, writing does not",
            hint="upgrade this installation: `git pull && make studio` in its checkout, or install the newer wheel",
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
