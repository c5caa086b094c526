"""Lists and counts of runs; their health is computed at read time, for a bounded number of running rows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from lionstudio.model.status.vocabulary import SEVERITY_RANKS, Card
from lionstudio.model.usage import TOKEN_COLUMNS
from lionstudio.state.connection import Connection
from lionstudio.state.runs.dashboard import status_counts
from lionstudio.state.runs.facets import Totals, totals
from lionstudio.state.runs.page_queries import running_rows
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.runs.run_order import NEWEST_FIRST, ListOrder
from lionstudio.state.upkeep.liveness import proof_of
from lionstudio.studio.views.runs import run_json

_MOST_QUERIES = 50  # for one page; the cursor continues from there
_MOST_RUNNING = 1_000


class ListPart(NamedTuple):
    """A part of a list: its length, the cursor it starts after, and its order."""

    limit: int
    cursor: str | None = None
    order: ListOrder = NEWEST_FIRST


def list_part(
    conn: Connection, filters: Filters, health: Collection[str], part: ListPart, now: float
) -> tuple[list[dict[str, Any]], str | None]:
    """Runs of a list, and the cursor of the rest; `health` is empty for any."""
    if health:
        if "ok" not in health and not filters.status:
            filters = filters._replace(status="running")  # every ended run is ok
        return _list_runs(conn, filters, lambda run: not _healths(run).isdisjoint(health), part, now)
    if filters.card == Card.RUNNING:  # those whose process is proven dead are not
        return _list_runs(conn, filters, lambda run: run["state"]["health"] != "process_dead", part, now)
    page = list_sessions(conn, filters, limit=part.limit, cursor=part.cursor, order=part.order)
    return [run_json(row, now) for row in page.rows], page.next_cursor


def count_totals(conn: Connection, filters: Filters, health: Collection[str], now: float) -> Totals:
    """The totals of a list; the runs with a health are counted one by one, up to a limit."""
    if not health and filters.card != Card.RUNNING:
        return totals(conn, filters)
    runs, rest = list_part(conn, filters, health, ListPart(_MOST_RUNNING), now)
    costs = [run["cost_microusd"] for run in runs if isinstance(run["cost_microusd"], int)]
    return Totals(
        runs=len(runs),
        more=rest is not None,
        tokens=sum(run[column] for run in runs for column in TOKEN_COLUMNS if isinstance(run[column], int)),
        cost_microusd=sum(costs) if costs else None,
        all_runs=sum(status_counts(conn).values()),
    )


def count_health(conn: Connection, filters: Filters, now: float) -> Counter[str]:
    """The number of running runs with each health, among those that the other filters leave."""
    statuses = (filters.status,) if isinstance(filters.status, str) else filters.status or ("running",)
    if "running" not in statuses:
        return Counter()
    page = list_sessions(conn, filters._replace(status="running"), limit=_MOST_RUNNING)
    return Counter(health for row in page.rows for health in _healths(run_json(row, now)))


def count_dead_runs(conn: Connection) -> int:
    """The runs that are marked running and proven dead."""
    return sum(proof_of(row).answer == "dead" for row in running_rows(conn, _MOST_RUNNING))


def _list_runs(
    conn: Connection, filters: Filters, is_listed: Callable[[dict[str, Any]], bool], part: ListPart, now: float
) -> tuple[list[dict[str, Any]], str | None]:
    runs: list[dict[str, Any]] = []
    limit, cursor, order = part
    for _ in range(_MOST_QUERIES):
        # no more rows than fit are read, so that the cursor skips none
        page = list_sessions(conn, filters, limit=limit - len(runs), cursor=cursor, order=order)
        runs += [run for run in (run_json(row, now) for row in page.rows) if is_listed(run)]
        cursor = page.next_cursor
        if cursor is None or len(runs) >= limit:
            break
    return runs, cursor


def _healths(run: dict[str, Any]) -> set[str]:
    return {run["effective_health"], run["state"]["health"]}


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
        "is_dead": state["health"] == "process_dead",
        "evidence": "; ".join(reason["evidence"] for reason in reasons) or None,
        "since": since if isinstance(since, (int, float)) else None,
    }
