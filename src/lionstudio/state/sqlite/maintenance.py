"""Maintenance of the database file: checkpoint, vacuum, backup, statistics."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from lionstudio.errors import Busy, Conflict, InvalidInput, NotFound
from lionstudio.state.connection import Connection, plain_errors
from lionstudio.state.sqlite.open import AUTOCHECKPOINT, BUSY_TIMEOUT_MS, SCHEMA_VERSION, synchronous_mode, version_of

CHECKPOINT_MODES = ("TRUNCATE", "PASSIVE", "RESTART", "FULL")

_CHECKPOINTS = {
    "TRUNCATE": "PRAGMA wal_checkpoint(TRUNCATE)",
    "PASSIVE": "PRAGMA wal_checkpoint(PASSIVE)",
    "RESTART": "PRAGMA wal_checkpoint(RESTART)",
    "FULL": "PRAGMA wal_checkpoint(FULL)",
}


class Checkpointed(NamedTuple):
    """Frames in the log, frames copied back, and whether a reader or writer blocked the rest."""

    busy: bool
    log_frames: int
    folded_frames: int


def checkpoint(conn: Connection, mode: str = "TRUNCATE") -> Checkpointed:
    """Copy the write-ahead log back into the database file."""
    sql = _CHECKPOINTS.get(mode.upper())
    if sql is None:
        raise InvalidInput(f"{mode!r:.40} is not a checkpoint mode", hint=f"use one of: {', '.join(CHECKPOINT_MODES)}")
    with plain_errors(conn.path):
        busy, frames, copied = conn.one(sql) or (0, 0, 0)
    return Checkpointed(bool(busy), frames, copied)


_OPTIMIZE = (
    "INSERT INTO messages_fts (messages_fts) VALUES ('optimize')",
    "INSERT INTO sessions_fts (sessions_fts) VALUES ('optimize')",
    "INSERT INTO sessions_words_fts (sessions_words_fts) VALUES ('optimize')",
)


_BEHIND = "SELECT coalesce(max(pk), 0) - (SELECT indexed_pk FROM search_state) FROM messages"


def count_unindexed(conn: Connection) -> int:
    """The approximate number of messages that are not indexed yet; the search is slow to load, so it is not there."""
    return int(conn.value(_BEHIND))


def vacuum(conn: Connection) -> tuple[int, int]:
    """Rebuild the file without its free pages; returns its size before and after. Other processes wait meanwhile.

    The search index is merged first: until then it holds the words of deleted messages, marked as deleted.
    """
    from lionstudio.state.sqlite.fulltext import index_all  # a run loads this module and never does this

    with plain_errors(conn.path):
        index_all(conn)
        for optimize in _OPTIMIZE:
            conn.execute(optimize)
        conn.one("PRAGMA wal_checkpoint(TRUNCATE)")
        before = file_size(conn.path)
        # old files were created without it; it takes effect with VACUUM
        conn.execute("PRAGMA auto_vacuum = INCREMENTAL")
        conn.execute("VACUUM")
        busy = (conn.one("PRAGMA wal_checkpoint(TRUNCATE)") or (0,))[0]
    if busy:
        raise Busy("the file was rebuilt, but a reader still holds the old pages", hint="li state checkpoint")
    return before, file_size(conn.path)


_FREE_SOME = "PRAGMA incremental_vacuum(2000)"


def free_pages(conn: Connection, steps: int = 200) -> int:
    """Return free pages to the disk in steps, so that others can write in between; returns the bytes."""
    with plain_errors(conn.path):
        before = conn.value("PRAGMA freelist_count")
        for _ in range(steps):
            remaining = conn.value("PRAGMA freelist_count")
            if not remaining:
                break
            conn.all(_FREE_SOME)  # must be stepped to its end to free them all
            if conn.value("PRAGMA freelist_count") == remaining:
                break  # a file without incremental vacuum: only `vacuum` helps
        return int((before - conn.value("PRAGMA freelist_count")) * conn.value("PRAGMA page_size"))


_IMPORT_CHECKPOINT_FRAMES = 10_000  # 40 MB: an import writes the same index pages many times before a checkpoint
_IMPORT_CACHE = "PRAGMA cache_size = -32000"  # 32 MB: ids of other tools fall anywhere in an index


def tune_for_import(conn: Connection) -> None:
    """Set a larger cache and rarer checkpoints, until the connection closes."""
    conn.raw.wal_autocheckpoint(_IMPORT_CHECKPOINT_FRAMES)
    conn.execute(_IMPORT_CACHE)


_SERVING_CACHE = "PRAGMA cache_size = -12000"  # 12 MB: a run of 10,000 messages is read from the file once
_SERVING_BUSY_MS = 2000  # a page should report a busy database instead of waiting half a minute


def tune_for_serving(conn: Connection) -> None:
    """Set up a reader of Studio."""
    conn.raw.set_busy_timeout(_SERVING_BUSY_MS)
    conn.execute(_SERVING_CACHE)


def checkpoint_after_prune(conn: Connection) -> None:
    """The file itself shrinks with the checkpoint."""
    checkpoint(conn, "PASSIVE")


def backup(path: str, target: str) -> int:
    """Copy the database as of one commit, safely while in use; returns the size of the copy."""
    if os.path.exists(target):
        raise Conflict(f"{target} exists already", hint="choose another name; a backup never overwrites a file")
    folder = os.path.dirname(os.path.abspath(target))
    if not os.path.isdir(folder):
        raise InvalidInput(f"folder {folder} not found", hint="create it first")
    if not os.path.exists(path):
        raise NotFound(f"database {path} not found", hint="li agent script '@say hello'")
    with plain_errors(target):
        from lionstudio.state.sqlite.migrate import copy_database  # slow to load

        copy_database(path, target)
    return file_size(target)


def database_bytes(path: str) -> int:
    """Bytes of the file and its log."""
    return file_size(path)


def file_size(path: str) -> int:
    """Bytes on disk, 0 without a file."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


COUNTED = (
    "sessions",
    "branches",
    "messages",
    "progression_heads",
    "progression_items",
    "mailboxes",
    "shows",
    "plays",
    "teams",
    "team_messages",
    "definitions",
    "changes",
)
ROW_COUNTS = {table: f"SELECT count(*) FROM {table}" for table in COUNTED}  # noqa: S608  (names are ours)
_SIZES = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 12"
_PRAGMAS = ("journal_mode", "synchronous", "foreign_keys", "auto_vacuum", "page_size", "page_count", "freelist_count")


def stats(conn: Connection, *, sizes: bool = False) -> dict[str, Any]:
    """Sizes, rows per table, sessions by status, pragmas (ADR-0009) and the number of unindexed messages."""
    from lionstudio.state.runs.dashboard import status_counts

    pragmas = {name: conn.value(f"PRAGMA {name}") for name in _PRAGMAS}
    result = {
        "path": conn.path,
        "schema_version": (version_of(conn) or (SCHEMA_VERSION, ""))[0],
        "size_bytes": file_size(conn.path),
        "wal_bytes": file_size(f"{conn.path}-wal"),
        "free_bytes": pragmas["freelist_count"] * pragmas["page_size"],
        "rows": {table: conn.value(sql) for table, sql in ROW_COUNTS.items()},
        "sessions_by_status": status_counts(conn),
        "unindexed_messages": count_unindexed(conn),
        # the values that our writers set; those of this reader differ
        "pragmas": pragmas
        | {"wal_autocheckpoint": AUTOCHECKPOINT, "busy_timeout": BUSY_TIMEOUT_MS, "foreign_keys": 1}
        | {"synchronous": synchronous_mode()},
    }
    if sizes:
        result["bytes"] = dict(conn.all(_SIZES))
    return result
