"""How many runs each value of a filter would leave, beside the other filters: ranges of indexes, counted up to a limit.

The distinct values of a column are found by jumping from one to the next, so a million runs of ten projects are ten
jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lionstudio.state.connection import Connection
from lionstudio.state.runs.run_list import Filters, where

MOST_COUNTED = 1_000
_LOOKED_AT = 200  # rows of each value where no index helps
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
WITH RECURSIVE found(value) AS (
  SELECT min({column}) FROM sessions
  UNION ALL
  SELECT (SELECT min({column}) FROM sessions WHERE {column} > found.value) FROM found WHERE found.value IS NOT NULL)
SELECT value FROM found WHERE value IS NOT NULL LIMIT :most
"""  # noqa: S608  (the columns are the literals above)
    for facet, column in _COLUMNS.items()
}
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM sessions WHERE "
_UP_TO = " LIMIT :most)"
# The source has an index with the status and with none of the others, so the newest of what they leave are looked at.
_AMONG = "SELECT count(*) FILTER (WHERE source_kind = :source), count(*) FROM (SELECT source_kind FROM sessions WHERE "
_NEWEST = " ORDER BY created_at DESC LIMIT :most)"
_WITHOUT_SOURCE = ("kind", "project", "agent", "playbook", "show", "name")


class Count(NamedTuple):
    """A value and how many runs have it at least; `more` when there may be more than were counted."""

    value: str
    runs: int
    more: bool


def facets(conn: Connection, filters: Filters) -> dict[str, list[Count]]:
    """For each filter, what its values would leave of the runs that the other filters leave; the most first."""
    return {facet: _facet(conn, facet, filters) for facet in _COLUMNS}


def _facet(conn: Connection, facet: str, filters: Filters) -> list[Count]:
    values = [str(row[0]) for row in conn.all(_VALUES[facet], {"most": MOST_VALUES})]
    found = [_count(conn, value, Filters(**{**filters._asdict(), facet: value})) for value in values]
    return sorted((each for each in found if each.runs), key=lambda each: (-each.runs, each.value))


def _count(conn: Connection, value: str, filters: Filters) -> Count:
    if filters.source is not None and any(getattr(filters, name) is not None for name in _WITHOUT_SOURCE):
        return _count_among(conn, value, filters)
    conditions, bound = where(conn, filters)
    number = int(conn.value(_COUNT + " AND ".join(conditions) + _UP_TO, bound | {"most": MOST_COUNTED + 1}))
    return Count(value, min(number, MOST_COUNTED), number > MOST_COUNTED)


def _count_among(conn: Connection, value: str, filters: Filters) -> Count:
    conditions, bound = where(conn, filters._replace(source=None))
    wanted = bound | {"source": filters.source, "most": _LOOKED_AT}
    number, looked_at = conn.one(_AMONG + " AND ".join(conditions) + _NEWEST, wanted) or (0, 0)
    return Count(value, number, looked_at >= _LOOKED_AT)
