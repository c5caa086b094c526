"""Build large databases fast: the real schema, filled without triggers and indexes, which are created afterwards.

A finished store is kept in benches/.data under a name that changes with the schema.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from benches.stores import schema_key
from benches.table import DATA
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.open import open_writer

Build = Callable[[Connection], None]


def cached(name: str, build: Build) -> str:
    """The path of a database, built unless it exists; older ones with the same name are removed."""
    folder = DATA / f"{name}-{schema_key()}"
    path = folder / "state.db"
    if path.exists():
        return str(path)
    for old in DATA.glob(f"{name}-*"):
        shutil.rmtree(old)
    started = time.monotonic()
    print(f"  building {name} …", flush=True)
    partial = DATA / f"{name}-partial" / "state.db"
    _build(str(partial), build)
    partial.parent.rename(folder)
    print(f"  built {name} in {time.monotonic() - started:.0f} s, {path.stat().st_size / 1e6:,.0f} MB\n", flush=True)
    return str(path)


def _build(path: str, build: Build) -> None:
    conn = open_writer(path)
    try:
        # no other process reads it, and a killed build is discarded
        conn.execute("PRAGMA synchronous = OFF")
        conn.execute("PRAGMA foreign_keys = OFF")
        conn.execute("PRAGMA cache_size = -200000")
        build(conn)
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        conn.close()


_EXTRAS = """
SELECT type, name, sql FROM sqlite_schema
 WHERE type IN ('trigger', 'index') AND sql IS NOT NULL AND tbl_name NOT LIKE '%\\_fts\\_%' ESCAPE '\\'
   AND tbl_name <> 'progressions'
"""
_COUNT_STATUSES = """
DELETE FROM session_counts;
INSERT INTO session_counts SELECT coalesce(status, 'unknown'), count(*) FROM sessions GROUP BY 1
"""
# in the order of created_at
_INDEX_TEXT = """
INSERT INTO {table} (rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
SELECT min(max(CAST(created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + pk % 1048576,
       name, agent_name, playbook_name, show_topic, show_play_name, project FROM sessions
"""


@contextmanager
def bulk(conn: Connection) -> Iterator[None]:
    """Fill tables inside this block without triggers and indexes; the end of the block creates them and their rows."""
    extras = conn.all(_EXTRAS)
    with conn.transaction():
        for kind, name, _ in extras:
            conn.execute(f'DROP {kind} "{name}"')
    yield
    with conn.transaction():
        for _, _, sql in extras:
            conn.execute(sql)
        conn.execute(_COUNT_STATUSES)
        for table in ("sessions_fts", "sessions_words_fts"):
            conn.execute(_INDEX_TEXT.replace("{table}", table))


def insert(conn: Connection, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert many rows into one table, in several transactions."""
    marks = ", ".join("?" for _ in columns.split(","))
    sql = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608  (the names are ours)
    batch: list[tuple[Any, ...]] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= 50_000:
            _commit(conn, sql, batch)
    _commit(conn, sql, batch)


def _commit(conn: Connection, sql: str, batch: list[tuple[Any, ...]]) -> None:
    with conn.transaction():
        conn.raw.executemany(sql, batch)
    batch.clear()
