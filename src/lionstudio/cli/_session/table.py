"""The table of sessions for a terminal; `ls` imports it only when it prints one."""

from __future__ import annotations

import sys
from typing import Any

from lionstudio.cli._session.row import duration_ms, state_of
from lionstudio.cli._toolkit import humanize
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import TONES, Paint, width_of
from lionstudio.model.run_name import run_name
from lionstudio.model.usage import TOKEN_COLUMNS

_COLUMNS = (
    Column("ID"),
    Column("STATUS"),
    Column("NAME", narrowest=24),
    Column("STARTED", right=True),
    Column("DURATION", right=True, rank=4),
    Column("MESSAGES", right=True, rank=3),
    Column("COST", right=True, rank=5),
    Column("MODEL", narrowest=12, rank=6),
    Column("PROJECT", narrowest=8, rank=2),
    Column("REASON", narrowest=16, rank=1),
)


def session_table(rows: list[dict[str, Any]], now: float, paint: Paint) -> str:
    length = humanize.distinct_length([str(row["id"]) for row in rows])
    lines = render(_COLUMNS, [_cells(row, length, now) for row in rows], width_of(sys.stdout), paint)
    return "\n".join(lines) + "\n"


def total_line(rows: list[dict[str, Any]]) -> str:
    """The number of the listed sessions, their tokens and their known costs."""
    counts = [row[column] for row in rows for column in TOKEN_COLUMNS]
    used = sum(count for count in counts if isinstance(count, int))  # another tool may have written anything
    costs = [row["cost_microusd"] for row in rows if isinstance(row["cost_microusd"], int)]
    facts = [
        humanize.count(len(rows), "session"),
        f"{humanize.tokens(used)} total tokens" if used else "",
        humanize.cost(sum(costs)) if costs else "",
    ]
    return " · ".join(fact for fact in facts if fact)


def _cells(row: dict[str, Any], id_length: int, now: float) -> list[Cell]:
    state, _ = state_of(row, now)
    duration = duration_ms(row)
    texts = (
        humanize.ago(row["started_at"] or row["created_at"], now),
        "" if duration is None else humanize.span(duration / 1000),
        f"{row['message_count']:,}",
        humanize.cost(row["cost_microusd"]),
        inline(str(row["model"] or "")),
        inline(str(row["project"] or "")),
        inline(state.summary or ""),
    )
    return [
        Cell(inline(str(row["id"])[:id_length]), "dim"),
        Cell(inline(state.label), TONES[state.tone]),
        Cell(inline(run_name(row))),
        *map(Cell, texts),
    ]
