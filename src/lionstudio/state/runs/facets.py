"""Counts under filters: the totals of a list, and facets: the number of runs that each value of a filter leaves.

Where an index holds the value and the other filters, its ranges are counted up to a limit; the distinct values of a
column are found by jumping from one to the next, so a million runs of ten projects are ten jumps. Other combinations
are counted among the newest runs that the other filters leave.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from lionstudio.state.backends import is_server
from lionstudio.state.connection import Connection, Row
from lionstudio.state.runs.dashboard import status_counts
from lionstudio.state.runs.run_list import ANY, COLUMN_OF, Filters, where
from lionstudio.state.runs.run_order import TOKENS

MOST_COUNTED = 1_000
_LOOKED_AT = 2_000  # newest runs that are counted where no index helps
MOST_VALUES = 100  # of one column; a page shows the first and finds the others by typing

_COLUMNS = {name: column for name, column in COLUMN_OF.items() if name != "name"}  # a name has its own field
_VALUES = {
    facet: f"""
WITH RECURSIVE distinct_values(value) AS (
  SELECT min({column}) FROM sessions WHERE {column} > ''
  UNION ALL
  SELECT (SELECT min({column}) FROM sessions WHERE {column} > v.value) FROM distinct_values v WHERE v.value IS NOT NULL)
SELECT value FROM distinct_values WHERE value IS NOT NULL LIMIT :most
"""  # noqa: S608  (the columns are literals)
    for facet, column in _COLUMNS.items()
}
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM sessions WHERE "
_UP_TO = " LIMIT :most) matching"
_NEWEST = f"SELECT {', '.join(_COLUMNS.values())} FROM sessions WHERE "  # noqa: S608  (the columns are literals)
_IN_ORDER = " ORDER BY created_at DESC LIMIT :most"


class Count(NamedTuple):
    """A value and the number of runs that have it; `more` when there may be more than were counted."""

    value: str
    runs: int
    more: bool


def facets(conn: Connection, filters: Filters) -> dict[str, list[Count]]:
    """For each filter, the counts of its values among the runs that the other filters leave; largest first."""
    newest: dict[Filters, list[Row]] = {}
    counts = {"tag": _count_tags(conn, filters._replace(tag=None))}
    for facet in _COLUMNS:
        others = _only(filters, facet, None)
        if _has_index(conn, facet, others):
            of_facet = list(_count_in_index(conn, facet, others))
        else:
            if others not in newest:
                newest[others] = _newest(conn, others)
            of_facet = list(_count_among(newest[others], facet))
        counts[facet] = sorted((one for one in of_facet if one.runs), key=lambda one: (-one.runs, one.value))
    return counts


def _only(filters: Filters, facet: str, value: str | None) -> Filters:
    """The filters with one value of a facet, or any."""
    replaced: dict[str, Any] = {facet: value}
    return filters._replace(**replaced)


def _has_index(conn: Connection, facet: str, others: Filters) -> bool:
    """Whether one index holds the facet and all other filters: it stands alone, or status and one other column.

    The sessions of one show are few, so status is read from their rows. Only a server has an index of machines.
    """
    columns = {name for name, value in others._asdict().items() if value} - {"since", "until"}
    if facet == "machine":
        return not columns and is_server(conn.path)
    return (
        not columns or columns == {"status"} or (facet == "status" and len(columns) == 1 and columns <= set(_COLUMNS))
    )


def _count_in_index(conn: Connection, facet: str, others: Filters) -> Iterator[Count]:
    for (value,) in conn.all(_VALUES[facet], {"most": MOST_VALUES}):
        conditions, params = where(conn, _only(others, facet, str(value)))
        number = int(conn.value(_COUNT + " AND ".join(conditions) + _UP_TO, params | {"most": MOST_COUNTED + 1}))
        yield Count(str(value), min(number, MOST_COUNTED), number > MOST_COUNTED)


def _newest(conn: Connection, others: Filters) -> list[Row]:
    conditions, params = where(conn, others, exact=False, ordered=True)
    return conn.all(_NEWEST + (" AND ".join(conditions) or "true") + _IN_ORDER, params | {"most": _LOOKED_AT})


def _count_among(rows: list[Row], facet: str) -> Iterator[Count]:
    index = list(_COLUMNS).index(facet)
    numbers = Counter(row[index] for row in rows if row[index] is not None)
    for value, number in numbers.most_common(MOST_VALUES):
        yield Count(str(value), min(number, MOST_COUNTED), len(rows) >= _LOOKED_AT or number > MOST_COUNTED)


_TAGS = """
SELECT tag, count(*) FROM (SELECT session_id, tag FROM session_tags LIMIT :most) AS t
 WHERE EXISTS (SELECT 1 FROM sessions WHERE id = t.session_id AND """
_BY_TAG = ") GROUP BY tag ORDER BY 2 DESC, 1 LIMIT :values"
_MOST_TAGGED = 20_000


def _count_tags(conn: Connection, others: Filters) -> list[Count]:
    conditions, params = where(conn, others, exact=False)
    sql = _TAGS + (" AND ".join(conditions) or "true") + _BY_TAG
    rows = conn.all(sql, params | {"most": _MOST_TAGGED, "values": MOST_VALUES})
    return [Count(str(tag), min(runs, MOST_COUNTED), runs > MOST_COUNTED) for tag, runs in rows]


class Totals(NamedTuple):
    """The number of runs that filters leave, and the sums of their tokens and known costs; `more`: at least so many."""

    runs: int
    more: bool
    tokens: int
    cost_microusd: int | None
    all_runs: int


MOST_SUMMED = 10_000
_SUMS = "SELECT count(*), sum(tokens), sum(cost) FROM (SELECT "
_SUMMED = f"{TOKENS} AS tokens, cost_microusd AS cost FROM sessions WHERE "


def totals(conn: Connection, filters: Filters = ANY) -> Totals:
    """Count and sum the runs of a list, up to a limit."""
    conditions, params = where(conn, filters)
    sql = _SUMS + _SUMMED + (" AND ".join(conditions) or "true") + _UP_TO
    runs, tokens, cost = conn.one(sql, params | {"most": MOST_SUMMED + 1}) or (0, 0, None)
    return Totals(min(runs, MOST_SUMMED), runs > MOST_SUMMED, _whole(tokens) or 0, _whole(cost), _all_runs(conn))


def _whole(number: Any) -> int | None:
    """A sum as a whole number: another tool may have written other numbers."""
    return None if number is None else int(number)


def _all_runs(conn: Connection) -> int:
    return sum(status_counts(conn).values())
