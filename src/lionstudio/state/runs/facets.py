"""Facets: the number of runs that each value of a filter leaves, next to the other filters.

Where an index holds the value and the other filters, its ranges are counted up to a limit; the distinct values of a
column are found by jumping from one to the next, so a million runs of ten projects are ten jumps. Other combinations
are counted among the newest runs that the other filters leave.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lionstudio.state.connection import Connection, Row
from lionstudio.state.runs.run_list import Filters, where

MOST_COUNTED = 1_000
_LOOKED_AT = 2_000  # newest runs that are counted where no index helps
MOST_VALUES = 100  # of one column; a page shows the first and finds the others by typing

_COLUMNS: Mapping[str, str] = {
    "status": "status",
    "kind": "invocation_kind",
    "source": "source_kind",
    "project": "project",
    "agent": "agent_name",
    "playbook": "playbook_name",
}
_VALUES = {
    facet: f"""
WITH RECURSIVE distinct_values(value) AS (
  SELECT min({column}) FROM sessions
  UNION ALL
  SELECT (SELECT min({column}) FROM sessions WHERE {column} > v.value) FROM distinct_values v WHERE v.value IS NOT NULL)
SELECT value FROM distinct_values WHERE value IS NOT NULL LIMIT :most
"""  # noqa: S608  (the columns are the literals above)
    for facet, column in _COLUMNS.items()
}
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM sessions WHERE "
_UP_TO = " LIMIT :most)"
_NEWEST = f"SELECT {', '.join(_COLUMNS.values())} FROM sessions WHERE "  # noqa: S608  (the columns are the literals above)
_IN_ORDER = " ORDER BY created_at DESC LIMIT :most"


class Count(NamedTuple):
    """A value and the number of runs that have it; `more` when there may be more than were counted."""

    value: str
    runs: int
    more: bool


def facets(conn: Connection, filters: Filters) -> dict[str, list[Count]]:
    """For each filter, the counts of its values among the runs that the other filters leave; largest first."""
    newest: dict[Filters, list[Row]] = {}
    counts = {}
    for facet in _COLUMNS:
        others = filters._replace(**{facet: None})
        if _has_index(facet, others):
            of_facet = list(_count_in_index(conn, facet, others))
        else:
            if others not in newest:
                newest[others] = _newest(conn, others)
            of_facet = list(_count_among(newest[others], facet))
        counts[facet] = sorted((one for one in of_facet if one.runs), key=lambda one: (-one.runs, one.value))
    return counts


def _has_index(facet: str, others: Filters) -> bool:
    """Whether one index holds the facet and all other filters: it stands alone, or status and one other column."""
    columns = {name for name, value in others._asdict().items() if value is not None} - {"since", "until"}
    return (
        not columns or columns == {"status"} or (facet == "status" and len(columns) == 1 and columns <= set(_COLUMNS))
    )


def _count_in_index(conn: Connection, facet: str, others: Filters) -> Iterator[Count]:
    for (value,) in conn.all(_VALUES[facet], {"most": MOST_VALUES}):
        conditions, params = where(conn, Filters(**{**others._asdict(), facet: str(value)}))
        number = int(conn.value(_COUNT + " AND ".join(conditions) + _UP_TO, params | {"most": MOST_COUNTED + 1}))
        yield Count(str(value), min(number, MOST_COUNTED), number > MOST_COUNTED)


def _newest(conn: Connection, others: Filters) -> list[Row]:
    conditions, params = where(conn, others)
    return conn.all(_NEWEST + " AND ".join(conditions) + _IN_ORDER, params | {"most": _LOOKED_AT})


def _count_among(rows: list[Row], facet: str) -> Iterator[Count]:
    index = list(_COLUMNS).index(facet)
    numbers = Counter(row[index] for row in rows if row[index] is not None)
    for value, number in numbers.most_common(MOST_VALUES):
        yield Count(str(value), min(number, MOST_COUNTED), len(rows) >= _LOOKED_AT or number > MOST_COUNTED)
