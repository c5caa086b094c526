"""Pages of sessions: any filters with several values each, in any order, page 1,000 as fast as page 1.

The conditions of a statement are chosen from the literals below; values are always bound.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import product
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import load, visible
from lionstudio.model.status.computed_state import first_line
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind, parse
from lionstudio.state.backends import is_server, text_filter
from lionstudio.state.connection import Connection
from lionstudio.state.hub.run_machines import add_machines
from lionstudio.state.row_values import text_in
from lionstudio.state.runs.dashboard import card_condition
from lionstudio.state.runs.run_order import NEWEST_FIRST, ListOrder, Place
from lionstudio.state.sqlite.open import schema_columns
from lionstudio.state.sqlite.text_filter import RunQuery, is_start_of_id, parse_text

PAGE = 100
_LARGEST_PAGE = 1000
MOST_VALUES = 50  # of one filter

Values = str | tuple[str, ...] | None


class Filters(NamedTuple):
    """Filters of a list: None means any, several values of one filter mean any of them."""

    status: Values = None
    kind: Values = None
    source: Values = None
    project: Values = None
    agent: Values = None
    playbook: Values = None
    show: Values = None
    name: Values = None
    since: float | None = None
    until: float | None = None
    text: str | None = None  # in the names of a run, or the start of its id
    card: str | None = None  # a card of the dashboard
    tag: Values = None
    model: Values = None
    machine: Values = None  # by id


class Page(NamedTuple):
    """Rows, and the cursor of the next page (None on the last)."""

    rows: list[dict[str, Any]]
    next_cursor: str | None


ANY = Filters()

# The last words of a run, as the computed state reads them from its metadata; only where a reason may need them.
LAST_WORDS = f"""
       CASE WHEN status <> 'completed' OR reason_codes <> '[]' THEN
         coalesce(
           {text_in("node_metadata", "$.ended_with")},
           CASE WHEN status = 'failed' THEN {text_in("node_metadata", "$.mirror.failed")} END)
       END AS last_words"""
_NOT_LISTED = ("pk", "node_metadata", "progression_id", "first_msg_id", "last_msg_id")
_LISTED = [name for name in schema_columns("sessions") if name not in _NOT_LISTED]
_COLUMNS = f"""
SELECT pk, {", ".join(_LISTED)},
       (SELECT count(*) FROM branches b WHERE b.session_id = sessions.id) AS branch_count,
       (SELECT json_group_array(t.tag) FROM (SELECT tag FROM session_tags
         WHERE session_id = sessions.id ORDER BY tag) t) AS tags,{LAST_WORDS}"""  # noqa: S608  (the names are ours)
_FROM = " FROM sessions WHERE "
_OF_PAGE = " FROM page CROSS JOIN sessions USING (pk)"
COLUMN_OF = {
    "status": "status",
    "kind": "invocation_kind",
    "source": "source_kind",
    "project": "project",
    "agent": "agent_name",
    "playbook": "playbook_name",
    "show": "show_topic",
    "name": "name",
    "model": "model",
    "machine": "machine_id",
}
_TIMES = {"since": "created_at >= :since", "until": "created_at < :until"}
_CODES = {"status": SessionStatus, "kind": InvocationKind, "source": SourceKind}
# The filter that leads is the one that usually leaves the fewest sessions: SQLite has no statistics to choose by, and
# a plus keeps it from walking the index of another. Status joins the leader where the two share an index.
_LEADERS = ("tag", "name", "show", "playbook", "project", "agent", "model", "source", "kind")
_LEADERS_WITH_STATUS = ("playbook", "project", "agent", "model", "source", "kind")
# these have an index with status only: one walk for each status
_LEADERS_BY_STATUS = ("model", "source")
_EVERY_STATUS = (*(f"status = '{status}'" for status in SessionStatus), "status IS NULL")
_MOST_WALKS = 60  # of indexes at once; with more values, the list walks through all sessions


def list_sessions(
    conn: Connection,
    filters: Filters = ANY,
    *,
    limit: int = PAGE,
    cursor: str | None = None,
    order: ListOrder = NEWEST_FIRST,
) -> Page:
    if not 1 <= limit <= _LARGEST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {_LARGEST_PAGE}, not {limit}")
    after = None if cursor is None else order.parse_cursor(cursor)
    now = time.time() if after is None else after.now
    rows = _rows(conn, filters, order, limit + 1, after, now)
    more = len(rows) > limit
    rows = rows[:limit]
    following = order.cursor(rows[-1].get("sort_key", rows[-1]["created_at"]), rows[-1]["pk"], now) if more else None
    for row in rows:
        del row["pk"]
        row.pop("sort_key", None)
        row["tags"] = load(row["tags"]) if row["tags"] != "[]" else []
        add_last_words(row)
    add_machines(conn, rows)
    return Page(rows, following)


def add_last_words(row: dict[str, Any]) -> None:
    """Turn the column of LAST_WORDS into the metadata of the row: one line of it, as a list has many."""
    words = row.pop("last_words")
    row["metadata"] = {"ended_with": first_line(words)} if isinstance(words, str) else {}


def _rows(
    conn: Connection, filters: Filters, order: ListOrder, limit: int, after: Place | None, now: float
) -> list[dict[str, Any]]:
    if filters.text and order.is_default and not is_start_of_id(conn, filters.text):
        conditions, params = where(conn, filters._replace(text=None), ordered=True)
        place = after and (after.key, after.pk)
        query = RunQuery(_COLUMNS, tuple(conditions), params, filters.since, place, limit)
        rows: list[dict[str, Any]] = text_filter(conn).matching_rows(conn, parse_text(filters.text), query)
        return rows
    conditions, params = where(conn, filters)
    by_status = not is_server(conn.path)
    walks = _walks(filters, conditions, by_status=by_status) if order.is_default else [conditions]
    params |= order.params(now) | {"limit": limit}
    if after is not None:
        walks = [[*walk, order.after] for walk in walks]
        params |= {"cursor_at": after.key, "cursor_pk": after.pk}
    if order.is_default and len(walks) == 1:
        return conn.dicts(_COLUMNS + _FROM + _all_of(walks[0]) + order.by("created_at"), params)
    # SQLite merges walks that are in order, and then reads only the rows of the page; PostgreSQL takes a page of each
    each = f"SELECT pk, {order.key} AS sort_key" + _FROM
    texts = [each + _all_of(walk) for walk in walks]
    if len(texts) > 1 and is_server(conn.path):
        texts = [f"({text}{order.by('sort_key')})" for text in texts]
    page = " UNION ALL ".join(texts) + order.by("sort_key")
    return conn.dicts(f"WITH page AS ({page}) {_COLUMNS}, sort_key{_OF_PAGE}{order.by('sort_key')}", params)


def _all_of(conditions: list[str]) -> str:
    return " AND ".join(conditions) or "true"


def where(
    conn: Connection, filters: Filters, *, exact: bool = True, ordered: bool = False
) -> tuple[list[str], dict[str, Any]]:
    """The SQL conditions of filters, and their parameters.

    Without `exact`, a text that many sessions have is read instead of looked up, and accents count. With `ordered`, the
    rows can be read in the order of their creation: no index is walked for several values.
    """
    values = _values(filters)
    # escaped as the columns are, or their values would not be found
    params: dict[str, Any] = {
        _param(name, number): visible(value) for name, each in values.items() for number, value in enumerate(each)
    }
    params |= {name: getattr(filters, name) for name in _TIMES if getattr(filters, name) is not None}
    indexed: set[str] = set() if filters.card is not None else {*_leaders(values), *_TIMES}
    more: list[str] = []
    if filters.card is not None:
        card, card_params = card_condition(filters.card, time.time())
        more.append(card)
        params |= card_params
    if filters.text:
        text, text_params, few = text_filter(conn).condition(conn, parse_text(filters.text), exact=exact)
        more.append(text)
        params |= text_params
        if few:
            indexed.clear()
    if ordered:
        indexed -= {name for name, each in values.items() if len(each) > 1}
    conditions = {name: _condition(name, range(len(each))) for name, each in values.items()}
    conditions |= {name: sql for name, sql in _TIMES.items() if name in params}
    return [sql if name in indexed else f"+{sql}" for name, sql in conditions.items()] + more, params


def _walks(filters: Filters, conditions: list[str], *, by_status: bool) -> list[list[str]]:
    """The conditions of walks through indexes that are in order of creation; merged, they are the list.

    One index has the sessions of one value in that order; several values are several walks. `by_status`: some filters
    have an index with status only.
    """
    values = _values(filters)
    leaders = [name for name in _leaders(values) if _condition(name, range(len(values[name]))) in conditions]
    ways = [[_condition(name, [number]) for number in range(len(values[name]))] for name in leaders if name != "tag"]
    if by_status and leaders and leaders[0] in _LEADERS_BY_STATUS and "status" not in values:
        ways.append(list(_EVERY_STATUS))
    walks = [list(chosen) for chosen in product(*ways)]
    if len(walks) == 1:
        return [conditions]
    shared = {_condition(name, range(len(values[name]))) for name in leaders if name != "tag"}
    rest = [sql for sql in conditions if sql not in shared]
    if len(walks) > _MOST_WALKS:
        return [[*rest, *(f"+{sql}" for sql in sorted(shared))]]
    return [[*walk, *rest] for walk in walks]


def _values(filters: Filters) -> dict[str, tuple[str, ...]]:
    """The values of each filter that is set, each once; raises InvalidInput for an unknown code."""
    values = {}
    for name in (*COLUMN_OF, "tag"):
        value = getattr(filters, name)
        if value is None or value == ():
            continue
        each = (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))
        if len(each) > MOST_VALUES:
            raise InvalidInput(f"{name} has {len(each)} values; at most {MOST_VALUES} are possible")
        if name in _CODES:
            each = tuple(parse(_CODES[name], code, name) for code in each)
        values[name] = each
    return values


def _leaders(values: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The filters whose index is walked: one, or one with status."""
    leader = next((name for name in _LEADERS if name in values), None)
    if leader is None:
        return ("status",) if "status" in values else ()
    return (leader, "status") if leader in _LEADERS_WITH_STATUS and "status" in values else (leader,)


def _condition(name: str, numbers: Iterable[int]) -> str:
    params = [f":{_param(name, number)}" for number in numbers]
    test = f"= {params[0]}" if len(params) == 1 else f"IN ({', '.join(params)})"
    if name == "tag":
        return f"id IN (SELECT session_id FROM session_tags WHERE tag {test})"  # noqa: S608  (the parameters are named above)
    return f"{COLUMN_OF[name]} {test}"


def _param(name: str, number: int) -> str:
    return name if number == 0 else f"{name}_{number}"
