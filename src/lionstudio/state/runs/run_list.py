"""Pages of sessions: any filter, newest first, page 1,000 as fast as page 1.

The conditions of a statement are chosen from the literals below; values are always bound.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import dump, load, visible
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind, parse
from lionstudio.state.connection import Connection
from lionstudio.state.runs.dashboard import card_condition
from lionstudio.state.sqlite.open import schema_columns
from lionstudio.state.sqlite.text_filter import RunQuery, condition, matching_rows, parse_text

PAGE = 100
_LARGEST_PAGE = 1000


class Filters(NamedTuple):
    """Filters of a list; None means any."""

    status: str | None = None
    kind: str | None = None
    source: str | None = None
    project: str | None = None
    agent: str | None = None
    playbook: str | None = None
    show: str | None = None
    name: str | None = None
    since: float | None = None
    until: float | None = None
    text: str | None = None
    card: str | None = None  # a card of the dashboard


class Page(NamedTuple):
    """Rows, and the cursor of the next page (None on the last)."""

    rows: list[dict[str, Any]]
    next_cursor: str | None


ANY = Filters()

_NOT_LISTED = ("pk", "node_metadata", "progression_id", "first_msg_id", "last_msg_id")
_LISTED = [name for name in schema_columns("sessions") if name not in _NOT_LISTED]
_COLUMNS = f"""
SELECT pk, {", ".join(_LISTED)},
       (SELECT count(*) FROM branches b WHERE b.session_id = sessions.id) AS branch_count"""  # noqa: S608  (the names are ours)
_FROM = " FROM sessions WHERE "
_CONDITIONS = {
    "status": "status = :status",
    "kind": "invocation_kind = :kind",
    "source": "source_kind = :source",
    "project": "project = :project",
    "agent": "agent_name = :agent",
    "playbook": "playbook_name = :playbook",
    "show": "show_topic = :show",
    "name": "name = :name",
    "since": "created_at >= :since",
    "until": "created_at < :until",
}
# The filter that leads is the one that usually leaves the fewest sessions: SQLite has no statistics to choose by, and
# a plus keeps it from walking the index of another. Status joins the leader where the two share an index.
_LEADERS = ("name", "show", "playbook", "project", "agent", "source", "kind")
_LEADERS_WITH_STATUS = ("playbook", "project", "agent", "source", "kind")
# pk decides among sessions of one moment: every index has it at its end already
_AFTER_CURSOR = "(created_at, pk) < (:cursor_at, :cursor_pk)"
_ORDER = " ORDER BY created_at DESC, pk DESC LIMIT :limit"


def list_sessions(conn: Connection, filters: Filters = ANY, *, limit: int = PAGE, cursor: str | None = None) -> Page:
    if not 1 <= limit <= _LARGEST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {_LARGEST_PAGE}, not {limit}")
    after = None if cursor is None else _parse_cursor(cursor)
    rows = _rows(conn, filters, limit + 1, after)
    more = len(rows) > limit
    rows = rows[:limit]
    following = _cursor(rows[-1]) if more else None
    for row in rows:
        del row["pk"]
    return Page(rows, following)


def _rows(
    conn: Connection, filters: Filters, limit: int, after: tuple[float | str, int] | None
) -> list[dict[str, Any]]:
    conditions, params = where(conn, filters._replace(text=None))
    if filters.text:
        query = RunQuery(_COLUMNS, tuple(conditions), params, filters.since, after, limit)
        return matching_rows(conn, parse_text(filters.text), query)
    if after is not None:
        conditions.append(_AFTER_CURSOR)
        params["cursor_at"], params["cursor_pk"] = after
    sql = _COLUMNS + _FROM + (" AND ".join(conditions) or "true") + _ORDER
    return conn.dicts(sql, params | {"limit": limit})


def where(conn: Connection, filters: Filters) -> tuple[list[str], dict[str, Any]]:
    """The SQL conditions of filters, and their parameters."""
    _check_codes(filters)
    # escaped as the columns are, or their values would not be found
    params = {
        name: visible(value) if isinstance(value, str) else value
        for name, value in filters._asdict().items()
        if value is not None and name in _CONDITIONS
    }
    leader = next((name for name in _LEADERS if name in params), "status")
    indexed = {leader, "since", "until"} | ({"status"} if leader in _LEADERS_WITH_STATUS else set())
    more: list[str] = []
    if filters.card is not None:
        card, card_params = card_condition(filters.card, time.time())
        more.append(card)
        params |= card_params
        indexed.clear()
    if filters.text:
        text, text_params, few = condition(conn, parse_text(filters.text))
        more.append(text)
        params |= text_params
        if few:
            indexed.clear()
    conditions = [
        sql if name in indexed else f"+{sql}" for name, sql in _CONDITIONS.items() if getattr(filters, name) is not None
    ]
    return conditions + more, params


def _check_codes(filters: Filters) -> None:
    if filters.status is not None:
        parse(SessionStatus, filters.status, "status")
    if filters.kind is not None:
        parse(InvocationKind, filters.kind, "kind")
    if filters.source is not None:
        parse(SourceKind, filters.source, "source")


def _cursor(row: Mapping[str, Any]) -> str:
    at, pk = row["created_at"], row["pk"]
    # another tool may have written text in place of a time; the pages must continue all the same
    return f"{at!r}~{pk}" if isinstance(at, float) else dump([visible(str(at)), pk])


def _parse_cursor(cursor: str) -> tuple[float | str, int]:
    at, _, pk = cursor.partition("~")
    try:
        if cursor.startswith("["):
            text, number = load(cursor)
            return visible(str(text)), _key(str(number))
        return float(at), _key(pk)
    except ValueError:
        raise InvalidInput(f"{cursor!r:.80} is not a cursor", hint="pass next_cursor of the previous page") from None


def _key(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ValueError(text)
    return int(text)
