"""Statistics and upkeep of a PostgreSQL database; what the server does by itself is refused with a sentence."""

from __future__ import annotations

from shlex import quote
from typing import Any, NoReturn

from lionstudio.errors import InvalidInput, StorageFailed
from lionstudio.state.connection import Connection
from lionstudio.state.runs.dashboard import status_counts
from lionstudio.state.sqlite.maintenance import ROW_COUNTS

_SIZE = "SELECT pg_database_size(current_database())"
_SIZES = """
SELECT relname, pg_relation_size(oid) FROM pg_class
 WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'i') ORDER BY 2 DESC LIMIT 12
"""
_OWNS_TABLES = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'messages'::regclass"
_DEAD = """
SELECT coalesce(sum(pg_relation_size(relid) * n_dead_tup / greatest(n_dead_tup + n_live_tup, 1)), 0)
  FROM pg_stat_user_tables
"""
_SETTINGS = ("server_version", "synchronous_commit", "fsync", "full_page_writes", "autovacuum", "lc_collate")


def checkpoint(conn: Connection, mode: str = "") -> NoReturn:
    raise InvalidInput(f"the server of {conn.path} writes its checkpoints itself", hint="li state stats")


def vacuum(conn: Connection) -> tuple[int, int]:
    """Free the space of deleted rows for new ones; other processes go on meanwhile."""
    if not conn.value(_OWNS_TABLES):  # the server would only warn
        raise StorageFailed(
            f"the role of {conn.path} does not own the tables",
            hint="use the owner of the database; the server frees space by itself too (autovacuum)",
        )
    before = int(conn.value(_SIZE))
    conn.execute("VACUUM (ANALYZE)")
    return before, int(conn.value(_SIZE))


def free_pages(conn: Connection, steps: int = 0) -> int:
    """The server frees space by itself (autovacuum)."""
    return 0


def checkpoint_after_prune(conn: Connection) -> None:
    """Nothing to do: no file of ours shrinks."""


def tune_for_import(conn: Connection) -> None:
    """The server has its own cache and checkpoints."""


def tune_for_serving(conn: Connection) -> None:
    """The server has its own cache."""


def backup(path: str, target: str) -> NoReturn:
    raise InvalidInput(
        f"{path} is backed up by the tools of its server", hint=f"pg_dump -Fc -f {quote(target)} {quote(path)}"
    )


def database_bytes(path: str) -> int:
    """0: the size is known to the server, and `stats` asks it."""
    return 0


def stats(conn: Connection, *, sizes: bool = False) -> dict[str, Any]:
    """The same facts as of a file; `pragmas` are settings of the server."""
    result: dict[str, Any] = {
        "path": conn.path,
        "schema_version": conn.value("SELECT max(version) FROM schema_meta"),
        "size_bytes": conn.value(_SIZE),
        "wal_bytes": 0,
        "free_bytes": int(conn.value(_DEAD)),
        "rows": {table: conn.value(sql) for table, sql in ROW_COUNTS.items()},
        "sessions_by_status": status_counts(conn),
        "unindexed_messages": 0,
        "pragmas": {name: conn.value("SELECT current_setting(:name, true)", {"name": name}) for name in _SETTINGS},
    }
    if sizes:
        result["bytes"] = dict(conn.all(_SIZES))
    return result
