"""The folders and models of the newest runs, as suggestions for the next one."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.model.status.statuses import InvocationKind
from lionstudio.state.connection import Connection

_NEWEST = 500  # runs; older folders are typed
_RECENT = "SELECT cwd, provider, model, invocation_kind FROM sessions ORDER BY created_at DESC, id DESC LIMIT :newest"


class RecentRequest(NamedTuple):
    cwd: str | None  # None for a play, whose checkout is not a folder to work in
    provider: str | None
    model: str | None


def list_recent_requests(conn: Connection) -> list[RecentRequest]:
    """The folder, provider and model of the newest runs."""
    return [
        RecentRequest(None if kind == InvocationKind.SHOW_PLAY else cwd, provider, model)
        for cwd, provider, model, kind in conn.all(_RECENT, {"newest": _NEWEST})
    ]
