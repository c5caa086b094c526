"""Append cursors: the progressions of a branch and of its session, with the next free ord of each.

A cursor is read once and cached in the connection. When another process took the ord meanwhile, the key of
progression_items rejects the second row, and the cursor is read again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from lionstudio.errors import CorruptStore, NotFound
from lionstudio.model.ids import new_id
from lionstudio.state.connection import Connection

_MOST_CACHED = 10_000  # a cursor is a few hundred bytes; reading one again costs one query


class SessionCursor:
    """The end of a session; shared by the cursors of all its branches."""

    __slots__ = ("id", "next_ord", "pk", "prog")

    def __init__(self, id_: str, pk: int, prog: int, next_ord: int) -> None:
        self.id = id_
        self.pk = pk
        self.prog = prog
        self.next_ord = next_ord


class AppendCursor:
    """The end of a branch and of its session."""

    __slots__ = ("next_ord", "prog", "session")

    def __init__(self, session: SessionCursor, prog: int, next_ord: int) -> None:
        self.session = session
        self.prog = prog
        self.next_ord = next_ord


_CURSOR = """
SELECT b.session_id, s.pk, s.progression_id, sh.pk, b.progression_id, bh.pk
  FROM branches b
  LEFT JOIN sessions s ON s.id = b.session_id
  LEFT JOIN progression_heads sh ON sh.id = s.progression_id
  LEFT JOIN progression_heads bh ON bh.id = b.progression_id
 WHERE b.id = :branch
"""
_NEXT_ORD = "SELECT coalesce(max(ord) + 1, 0) FROM progression_items WHERE prog = :prog"
_INSERT_POSITION = "INSERT INTO progression_items (prog, ord, message_id) VALUES (?, ?, ?)"


def cursor_of(conn: Connection, branch_id: str) -> AppendCursor:
    """The cursor of a branch; a branch without a progression (a fork, an old row) gets one now."""
    row = conn.one(_CURSOR, {"branch": branch_id})
    if row is None:
        raise NotFound(f"branch {branch_id} not found", hint="li state ls")
    session_id, session_pk, session_progression, session_prog, branch_progression, branch_prog = row
    for owner, progression, prog in (
        ("session", session_progression, session_prog),
        ("branch", branch_progression, branch_prog),
    ):
        if progression is not None and prog is None:
            raise CorruptStore(f"the progression {progression} of the {owner} is missing", hint="li state doctor")
    if session_prog is None:
        session_prog = _add_progression(conn, _SESSION_PROGRESSION, session_id)
    if branch_prog is None:
        branch_prog = _add_progression(conn, _BRANCH_PROGRESSION, branch_id)
    session = conn.session_cursors.get(session_id)
    if session is None or (session.pk, session.prog) != (session_pk, session_prog):
        session = SessionCursor(session_id, session_pk, session_prog, next_ord(conn, session_prog))
    return AppendCursor(session, branch_prog, next_ord(conn, branch_prog))


def refresh(conn: Connection, cursor: AppendCursor) -> None:
    """Read the next free ords again after another process appended."""
    cursor.session.next_ord = next_ord(conn, cursor.session.prog)
    cursor.next_ord = next_ord(conn, cursor.prog)


def next_ord(conn: Connection, prog: int) -> int:
    return int(conn.value(_NEXT_ORD, {"prog": prog}))


def insert_positions(conn: Connection, prog: int, start: int, ids: Iterable[str]) -> None:
    """Insert messages into a progression at consecutive ords."""
    conn.run_many(_INSERT_POSITION, [(prog, start + number, id_) for number, id_ in enumerate(ids)])


def cache(conn: Connection, branch_id: str, cursor: AppendCursor) -> None:
    """Cache a cursor for the next message; only after an append with it succeeded."""
    if len(conn.cursors) >= _MOST_CACHED:
        conn.forget_cursors()
    conn.cursors[branch_id] = cursor
    conn.session_cursors[cursor.session.id] = cursor.session


_HEAD = "INSERT INTO progression_heads (id, created_at) VALUES (:id, :at) RETURNING pk"
_SESSION_PROGRESSION = "UPDATE sessions SET progression_id = :progression WHERE id = :id"
_BRANCH_PROGRESSION = "UPDATE branches SET progression_id = :progression WHERE id = :id"


def new_progression(conn: Connection, at: float) -> tuple[str, int]:
    """Insert an empty progression; returns its id and key."""
    progression = new_id()
    return progression, conn.value(_HEAD, {"id": progression, "at": at})


def _add_progression(conn: Connection, sql: str, owner_id: str) -> int:
    progression, prog = new_progression(conn, time.time())
    conn.execute(sql, {"progression": progression, "id": owner_id})
    return prog
