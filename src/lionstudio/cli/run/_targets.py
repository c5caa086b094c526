"""Shared by `ps`, `logs`, `wait` and `kill`: running sessions, exit codes, and the sessions of a command line."""

from __future__ import annotations

import time
from typing import Any

from lionstudio.cli._session.row import session_json
from lionstudio.errors import InvalidInput
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import titles_of_waiting
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sessions import get_session

_PAGE = 1000


def running_sessions(conn: Connection) -> list[dict[str, Any]]:
    """Sessions with status running, with their computed state and its evidence."""
    rows: list[dict[str, Any]] = []
    titles = titles_of_waiting(conn)
    cursor = None
    while True:
        page = list_sessions(conn, Filters(status="running"), limit=_PAGE, cursor=cursor)
        rows += [session_json({**row, "waits_for": titles.get(row["id"])}, time.time()) for row in page.rows]
        cursor = page.next_cursor
        if cursor is None:
            return rows


def exit_code_of(conn: Connection, session_id: str) -> int | None:
    """None while the session runs."""
    return get_session(conn, session_id).ended_with


def resolve_all(conn: Connection, names: list[str]) -> list[str]:
    """Resolve ids, id prefixes and names to session ids, without duplicates."""
    if not names:
        raise InvalidInput("missing argument: SESSION", hint="li ps")
    return list(dict.fromkeys(resolve_session(conn, name) for name in names))
