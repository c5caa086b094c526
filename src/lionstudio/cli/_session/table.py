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

_COLUMNS = (
    Column("ID"),
    Column("STATUS"),
    Column("NAME", narrowest=24),
    Column("STARTED", right=True),
    Column("DURATION", right=True, rank=2),
    Column("MESSAGES", right=True, rank=1),
    Column("COST", right=True, rank=4),
    Column("MODEL", narrowest=12, rank=3),
    Column("PROJECT", narrowest=10, rank=5),
)


def session_table(rows: list[dict[str, Any]], now: float, paint: Paint) -> str:
    length = _id_length([str(row["id"]) for row in rows])
    lines = render(_COLUMNS, [_cells(row, length, now) for row in rows], width_of(sys.stdout), paint)
    return "\n".join(lines) + "\n"


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
    )
    return [
        Cell(inline(str(row["id"])[:id_length]), "dim"),
        Cell(inline(state.label), TONES[state.tone]),
        Cell(inline(run_name(row))),
        *map(Cell, texts),
    ]


def _id_length(ids: list[str]) -> int:
    """The shortest prefix length that tells the ids of this page apart."""
    longest = max(map(len, ids))
    return next((n for n in range(humanize.SHORT_ID, longest) if len({id_[:n] for id_ in ids}) == len(ids)), longest)
