"""Create a database from schema.sql, or upgrade an old one step by step.

Each step is one transaction, and the first follows a backup next to the file: killed anywhere, the old database is
intact.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from importlib import resources

import apsw

from lionstudio.crash import point
from lionstudio.errors import StorageFailed
from lionstudio.state.connection import Connection, plain_errors
from lionstudio.state.runs.titles import set_missing_titles
from lionstudio.state.sqlite import open as opening
from lionstudio.state.sqlite.fulltext import index_all
from lionstudio.state.sqlite.migrations import from_records
from lionstudio.state.sqlite.open import (
    BUSY_TIMEOUT_MS,
    SCHEMA_VERSION,
    check_known,
    open_for_reading,
    schema_sql,
    version_of,
)
from lionstudio.system.atomic_write import private_umask, sync_folder

_LAST_WITHOUT_TITLES = 5
_RECORDS_VERSION = 2  # the last version of the design records: ADR-0011 counts its two tables as version 2


def bring_up_to_date(conn: Connection, current: tuple[int, str] | None) -> None:
    """Create or upgrade; a second process waits for the first and then has nothing to do."""
    if current is None:
        _create(conn)
        return
    first = version = current[0]
    while version < SCHEMA_VERSION:
        version = _step(conn, version, with_backup=version == first)
    # migrations leave the search index empty; killed before it is full, searches read the messages themselves
    index_all(conn)


def _create(conn: Connection) -> None:
    with conn.transaction():
        if version_of(conn) is None:
            conn.execute(schema_sql())
            point("create.filled")


def _step(conn: Connection, version: int, *, with_backup: bool) -> int:
    # tables are rebuilt, and foreign keys must not be enforced meanwhile; only settable outside a transaction
    conn.execute("PRAGMA foreign_keys = OFF")
    conn.execute("PRAGMA legacy_alter_table = ON")
    try:
        with conn.transaction():
            current = version_of(conn)
            if current is not None and current[0] != version:
                check_known(conn.path, *current)  # the process that was first may be newer than we are
                return current[0]
            if with_backup:
                backup = back_up(conn, version)
                opening.announce(
                    f"Upgrading {conn.path} from schema version {version} to {SCHEMA_VERSION};"
                    f" the old file is kept as {backup}"
                )
            point("migrate.backed_up")
            if version <= _RECORDS_VERSION:
                from_records.migrate(conn)  # copies into the schema of a new database
            else:
                folder = resources.files("lionstudio.state.sqlite.migrations")
                conn.execute(folder.joinpath(f"from_version_{version}.sql").read_text(encoding="utf-8"))
            if version <= _RECORDS_VERSION or version == _LAST_WITHOUT_TITLES:
                _set_titles(conn)
            point("migrate.filled")
    finally:
        conn.execute("PRAGMA legacy_alter_table = OFF")
        conn.execute("PRAGMA foreign_keys = ON")
    return SCHEMA_VERSION if version <= _RECORDS_VERSION else version + 1


def _set_titles(conn: Connection) -> None:
    # not a change that readers must follow: without its trigger, a million sessions add no rows to the feed
    trigger = conn.value("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = 'sessions_updated'")
    conn.execute("DROP TRIGGER sessions_updated")
    set_missing_titles(conn)
    conn.execute(trigger)


def back_up(conn: Connection, version: int) -> str:
    """Copy the file next to itself; a partial copy never has the final name."""
    _remove_partial_copies(conn.path)
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    target = f"{conn.path}.v{version}-{stamp}-{os.getpid()}.bak"
    copy_database(conn.path, target)
    return target


def _remove_partial_copies(path: str) -> None:
    """Remove copies of upgrades that were killed; our caller holds the write lock, so none is being written."""
    folder, name = os.path.split(os.path.abspath(path))
    for entry in os.listdir(folder):
        if entry.startswith(f"{name}.v") and f".bak{_PARTIAL}" in entry:
            with suppress(OSError):
                os.unlink(os.path.join(folder, entry))


_PARTIAL = ".partial"


def copy_database(source: str, target: str) -> None:
    """Copy a database by the backup API, as of one commit, safely while in use."""
    partial = f"{target}{_PARTIAL}"
    try:
        with private_umask():
            _copy_pages(source, partial)
        os.replace(partial, target)
        sync_folder(os.path.dirname(os.path.abspath(target)))
    except BaseException as error:
        for leftover in (partial, f"{partial}-wal", f"{partial}-shm", f"{partial}-journal"):
            with suppress(OSError):
                os.unlink(leftover)
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            raise StorageFailed(f"cannot write {target}: {reason}", hint="check its folder and the disk") from error
        raise


def _copy_pages(source: str, target: str) -> None:
    reading = _open_source(source)
    writing = apsw.Connection(target)
    try:
        with writing.backup("main", reading, "main") as backup:
            while not backup.done:
                backup.step(-1)
        # one file by itself, not a database with a log
        writing.execute("PRAGMA journal_mode = DELETE")
    finally:
        writing.close()
        reading.close()


def _open_source(path: str) -> apsw.Connection:
    with plain_errors(path):  # an error of the source must not name the copy
        reading = open_for_reading(path).raw
        reading.set_busy_timeout(BUSY_TIMEOUT_MS)
    return reading
