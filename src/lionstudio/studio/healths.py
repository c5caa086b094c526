"""Runs by their health, which is computed when it is read: what runs is looked at one by one, a bounded number."""

from __future__ import annotations

from typing import Any

from lionstudio.state.connection import Connection
from lionstudio.state.listing import Filters, list_sessions
from lionstudio.studio.sessions import to_wire

_MOST_LOOKED_AT = 5_000  # for one page; the cursor goes on from there
_STEP = 500


def runs_with_health(
    conn: Connection, filters: Filters, health: str, limit: int, cursor: str | None, now: float
) -> tuple[list[dict[str, Any]], str | None]:
    """Up to `limit` runs of that health, newest first, and the cursor of the rest."""
    if health != "ok" and filters.status is None:
        filters = filters._replace(status="running")  # whatever has ended is ok
    found: list[dict[str, Any]] = []
    for _ in range(_MOST_LOOKED_AT // _STEP):
        page = list_sessions(conn, filters, limit=min(_STEP, limit), cursor=cursor)
        found += [run for run in (to_wire(row, now) for row in page.rows) if _has(run, health)]
        cursor = page.next_cursor
        # a page is taken whole, so that the cursor leaves nothing out
        if cursor is None or len(found) >= limit:
            break
    return found, cursor


def _has(run: dict[str, Any], health: str) -> bool:
    return health in (run["effective_health"], run["state"]["health"])
