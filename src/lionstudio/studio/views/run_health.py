"""Runs by health, which is computed at read time: a bounded number of running rows is checked one by one."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from lionstudio.model.status.vocabulary import SEVERITY_RANKS
from lionstudio.state.connection import Connection
from lionstudio.state.runs.page_queries import running_rows
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.studio.views.runs import run_json

_MOST_QUERIES = 50  # for one page; the cursor continues from there


def list_runs_with_health(
    conn: Connection, filters: Filters, health: str, limit: int, cursor: str | None, now: float
) -> tuple[list[dict[str, Any]], str | None]:
    """Up to `limit` runs with a health, newest first, and the cursor of the rest."""
    if health != "ok" and filters.status is None:
        filters = filters._replace(status="running")  # every ended run is ok
    runs: list[dict[str, Any]] = []
    for _ in range(_MOST_QUERIES):
        # no more rows than fit are read, so that the cursor skips none
        page = list_sessions(conn, filters, limit=limit - len(runs), cursor=cursor)
        runs += [run for run in (run_json(row, now) for row in page.rows) if _has(run, health)]
        cursor = page.next_cursor
        if cursor is None or len(runs) >= limit:
            break
    return runs, cursor


def _has(run: dict[str, Any], health: str) -> bool:
    return health in (run["effective_health"], run["state"]["health"])


_MOST_RUNNING = 1_000


def health_overview(conn: Connection) -> dict[str, Any]:
    """The runs that are marked running, grouped by health, most severe first."""
    now = time.time()
    rows = running_rows(conn, _MOST_RUNNING + 1)
    runs = [_health_of(run_json(row, now)) for row in rows[:_MOST_RUNNING]]
    runs.sort(key=lambda run: (-SEVERITY_RANKS[run["severity"]], run["since"] or 0))
    groups = Counter((run["health"], run["label"], run["severity"]) for run in runs)
    group_list = [
        {"health": health, "label": label, "severity": severity, "runs": n}
        for (health, label, severity), n in groups.items()
    ]
    return {"groups": group_list, "runs": runs, "has_more": len(rows) > _MOST_RUNNING}


def _health_of(run: dict[str, Any]) -> dict[str, Any]:
    state = run["state"]
    reasons = [reason for reason in state["reasons"] if reason["evidence"]]
    since = run["last_message_at"] or run["started_at"]
    return {
        "id": run["id"],
        "display_name": run["display_name"],
        "health": run["effective_health"],
        "label": state["label"],
        "severity": state["severity"],
        "evidence": "; ".join(reason["evidence"] for reason in reasons) or None,
        "since": since if isinstance(since, (int, float)) else None,
    }
