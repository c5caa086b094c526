"""What `ps`, `wait` and `kill` share: the running sessions with the proof of life of each."""

from __future__ import annotations

import time
from typing import Any

from lionstudio.cli._session.row import session_json
from lionstudio.errors import InvalidInput
from lionstudio.state.connection import Connection
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sessions import get_session, resolve_session

_PAGE = 1000


def running_sessions(conn: Connection) -> list[dict[str, Any]]:
    """Every session that is marked running, with its state and the evidence for it."""
    rows: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = list_sessions(conn, Filters(status="running"), limit=_PAGE, cursor=cursor)
        rows += [session_json(row, time.time()) for row in page.rows]
        cursor = page.next_cursor
        if cursor is None:
            return rows


def exit_code_of(conn: Connection, session_id: str) -> int | None:
    """What a session ended with, None while it runs."""
    return get_session(conn, session_id).ended_with


def resolve_all(conn: Connection, given: list[str]) -> list[str]:
    """The ids that a person meant, each once."""
    if not given:
        raise InvalidInput("no session is given", hint="`li ps` lists what runs")
    return list(dict.fromkeys(resolve_session(conn, one) for one in given))
