"""The orders of a list of runs, and the cursors of their pages: the key of the last row, then its pk."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import dump, load, visible
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import TOKEN_COLUMNS


class Sort(StrEnum):
    """The columns that a list can be sorted by."""

    CREATED = "created"
    UPDATED = "updated"
    DURATION = "duration"
    COST = "cost"
    TOKENS = "tokens"
    MESSAGES = "messages"
    NAME = "name"
    STATUS = "status"


class Order(StrEnum):
    """The direction of a list."""

    ASC = "asc"
    DESC = "desc"


TOKENS = " + ".join(TOKEN_COLUMNS)
_RANKS = " ".join(f"WHEN '{status}' THEN {rank}" for rank, status in enumerate(SessionStatus))
# as model/run_name.py, in one case
_NAME = """lower(CASE
    WHEN coalesce(show_topic, '') = '' THEN
      coalesce(nullif(name, ''), nullif(title, ''), nullif(playbook_name, ''), nullif(agent_name, ''), substr(id, 1, 8))
    WHEN coalesce(show_play_name, '') = '' THEN coalesce(nullif(name, ''), show_topic)
    WHEN coalesce(name, '') IN ('', 'show_' || show_topic || '_' || show_play_name) THEN
      show_topic || ' / ' || show_play_name
    ELSE name END)"""
# Only `created` and `updated` have an index. The others change with every message, and every append would pay for one.
_KEYS: Mapping[Sort, str] = {
    Sort.CREATED: "created_at",
    Sort.UPDATED: "updated_at",
    # a running session has lasted until now, and a page that follows counts until the same moment
    Sort.DURATION: """coalesce(max(0.0, CASE WHEN ended_at IS NOT NULL THEN ended_at
        WHEN status = 'running' THEN :sort_now END - started_at), :sort_unknown)""",
    Sort.COST: "coalesce(cost_microusd, :sort_unknown)",
    Sort.TOKENS: TOKENS,
    Sort.MESSAGES: "message_count",
    Sort.NAME: _NAME,
    Sort.STATUS: f"CASE status {_RANKS} ELSE {len(SessionStatus)} END",
}
_UNKNOWN = {Order.ASC: 1e300, Order.DESC: -1e300}  # an unknown value is last in both directions


class Place(NamedTuple):
    """The place in a list after which a page starts."""

    key: float | str
    pk: int
    now: float


class ListOrder(NamedTuple):
    """A column and a direction; ties are ordered by pk."""

    sort: Sort = Sort.CREATED
    order: Order = Order.DESC

    @property
    def is_default(self) -> bool:
        return self == NEWEST_FIRST

    @property
    def key(self) -> str:
        return _KEYS[self.sort]

    @property
    def after(self) -> str:
        """The condition on rows after a place."""
        return f"({self.key}, pk) {'<' if self.order is Order.DESC else '>'} (:cursor_at, :cursor_pk)"

    def by(self, key: str) -> str:
        return f" ORDER BY {key} {self.order}, pk {self.order} LIMIT :limit"

    def params(self, now: float) -> dict[str, Any]:
        values = {"sort_now": now, "sort_unknown": _UNKNOWN[self.order]}
        return {name: value for name, value in values.items() if f":{name}" in self.key}

    def cursor(self, key: Any, pk: int, now: float) -> str:
        if self.is_default and isinstance(key, float):
            return f"{key!r}~{pk}"
        # another tool may have written text in place of a number; the pages must continue all the same
        shown = key if isinstance(key, (int, float)) else visible(str(key))
        return dump([self.sort, self.order, shown, pk, now])

    def parse_cursor(self, cursor: str) -> Place:
        at, _, pk = cursor.partition("~")
        try:
            if not cursor.startswith("["):
                if not self.is_default:
                    raise ValueError(cursor)
                return Place(float(at), _pk(pk), 0.0)
            sort, order, key, number, now = load(cursor)
            if (sort, order) != self or isinstance(key, bool) or not isinstance(key, (int, float, str)):
                raise ValueError(cursor)
            return Place(visible(key) if isinstance(key, str) else key, _pk(str(number)), float(now))
        except (ValueError, TypeError, OverflowError):
            raise InvalidInput(
                f"{cursor!r:.80} is not a cursor", hint="pass next_cursor of the previous page, and its sort and order"
            ) from None


NEWEST_FIRST = ListOrder()


def _pk(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ValueError(text)
    return int(text)
