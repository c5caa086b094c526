"""Counting work instead of timing it: which statements ran, how many steps they took, how much they wrote."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import apsw

from lionstudio.state.connection import Connection
from lionstudio.state.postgres.connection import PostgresConnection


class Ran(NamedTuple):
    """One statement that ended, with SQLite's own counters."""

    sql: str
    steps: int
    full_scan_steps: int
    sorts: int


class _Noting:
    """A cursor that notes the texts it executes; a server has no counters of ours."""

    def __init__(self, cursor: Any, ran: list[Ran]) -> None:
        self._cursor, self._ran = cursor, ran

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def execute(self, text: str, *args: Any, **options: Any) -> Any:
        self._ran.append(Ran(" ".join(text.split()), 0, 0, 0))
        return self._cursor.execute(text, *args, **options)

    def executemany(self, text: str, rows: Any) -> Any:
        self._ran.append(Ran(" ".join(text.split()), 0, 0, 0))
        return self._cursor.executemany(text, rows)


@contextmanager
def traced(conn: Connection) -> Iterator[list[Ran]]:
    """Every statement that a connection runs in the block."""
    ran: list[Ran] = []
    if isinstance(conn, PostgresConnection):
        cursor, caller = conn._cursor, conn._caller
        conn._cursor, conn._caller = _Noting(cursor, ran), _Noting(caller, ran)  # type: ignore[assignment]
        try:
            yield ran
        finally:
            conn._cursor, conn._caller = cursor, caller
        return

    def note(event: dict[str, Any]) -> None:
        counters = event["stmt_status"]
        ran.append(
            Ran(
                " ".join(event["sql"].split()),
                counters["SQLITE_STMTSTATUS_VM_STEP"],
                counters["SQLITE_STMTSTATUS_FULLSCAN_STEP"],
                counters["SQLITE_STMTSTATUS_SORT"],
            )
        )

    conn.raw.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)
    try:
        yield ran
    finally:
        conn.raw.trace_v2(0)


@contextmanager
def counted_round_trips(conn: Connection) -> Iterator[list[int]]:
    """How often a connection waits for its server in the block; filled in at its end."""
    assert isinstance(conn, PostgresConnection)
    count: list[int] = []
    with tempfile.TemporaryFile() as file:
        conn.pg.pgconn.trace(file.fileno())
        try:
            yield count
        finally:
            conn.pg.pgconn.untrace()
        file.seek(0)
        count.append(file.read().count(b"ReadyForQuery"))


def plan(conn: Connection, sql: str, params: Any = ()) -> list[str]:
    """What SQLite intends to do, a line a loop."""
    return [row[3] for row in conn.raw.execute(f"EXPLAIN QUERY PLAN {sql}", params)]


def wal_bytes(path: str) -> int:
    """How long the log is."""
    return os.stat(f"{path}-wal").st_size
