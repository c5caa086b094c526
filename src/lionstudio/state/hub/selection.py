"""The sessions that a push selects, by project and time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from lionstudio.model.json_codec import dump, load
from lionstudio.state.connection import Connection


class PushFilters(NamedTuple):
    """No project means all; `since_text` is the time as it was given, which may be relative."""

    projects: tuple[str, ...] = ()
    since: float | None = None
    since_text: str | None = None

    @property
    def key(self) -> str:
        """The text that a mark keeps: with other filters it does not count."""
        return dump({"projects": sorted(self.projects), "since": self.since_text})

    @classmethod
    def from_key(cls, key: str, parse_time: Callable[[str], float]) -> PushFilters:
        """The filters of a mark."""
        values = load(key)
        since = values["since"]
        return cls(tuple(values["projects"]), None if since is None else parse_time(since), since)


class SelectedSession(NamedTuple):
    id: str
    messages: int


_SELECT = "SELECT id, message_count FROM sessions WHERE true"
_CONDITIONS = {
    "projects": " AND project IN (SELECT value FROM json_each(:projects))",
    "since": " AND created_at >= :since",
    "ids": " AND id IN (SELECT value FROM json_each(:ids))",
}


def select_sessions(
    conn: Connection, filters: PushFilters, ids: Collection[str] | None = None
) -> list[SelectedSession]:
    """The sessions that the filters leave, oldest first; with ids, only those among them."""
    values: dict[str, str | float] = {}
    if filters.projects:
        values["projects"] = dump(list(filters.projects))
    if filters.since is not None:
        values["since"] = filters.since
    if ids is not None:
        values["ids"] = dump(list(ids))
    sql = _SELECT + "".join(_CONDITIONS[name] for name in values) + " ORDER BY pk"
    return [SelectedSession(str(id_), int(count)) for id_, count in conn.all(sql, values)]
