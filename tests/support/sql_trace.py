"""Counting work instead of timing it: which statements ran, how many steps they took, how much they wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import apsw

from lionstudio.state.connection import Connection


class Ran(NamedTuple):
    """One statement that ended, with SQLite's own counters."""

    sql: str
    steps: int
    full_scan_steps: int
    sorts: int


@contextmanager
def traced(conn: Connection) -> Iterator[list[Ran]]:
    """Every statement that a connection runs in the block."""
    ran: list[Ran] = []

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


def plan(conn: Connection, sql: str, params: Any = ()) -> list[str]:
    """What SQLite intends to do, a line a loop."""
    return [row[3] for row in conn.raw.execute(f"EXPLAIN QUERY PLAN {sql}", params)]


def wal_bytes(path: str) -> int:
    """How long the log is."""
    return os.stat(f"{path}-wal").st_size
