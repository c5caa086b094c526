"""How many runs each value of a filter would leave, beside the other filters: ranges of indexes, counted up to a limit.

The distinct values of a column are found by jumping from one to the next, so a million runs of ten projects are ten
jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lionstudio.state.connection import Connection
from lionstudio.state.listing import Filters, where

MOST_COUNTED = 1_000
MOST_VALUES = 100  # of one column; a page shows the first and finds the others by typing

_COLUMNS: Mapping[str, str] = {
    "status": "status", "kind": "invocation_kind", "source": "source_kind", "project": "project",
    "agent": "agent_name", "playbook": "playbook_name",
}  # fmt: skip
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


class Count(NamedTuple):
    """A value and how many runs have it; `more` when there are more than were counted."""

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
    conditions, bound = where(conn, filters)
    number = int(conn.value(_COUNT + " AND ".join(conditions) + _UP_TO, bound | {"most": MOST_COUNTED + 1}))
    return Count(value, min(number, MOST_COUNTED), number > MOST_COUNTED)
