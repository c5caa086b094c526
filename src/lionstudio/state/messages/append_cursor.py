"""Where a branch's messages go: its progression and its session's, with the next free ord of each.

Looked up once and kept with the connection. Another process may have taken an ord meanwhile; the key of
progression_items refuses the second, and the place is looked up again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from lionstudio.errors import CorruptStore, NotFound
from lionstudio.model.ids import new_id
from lionstudio.state.connection import Connection

_MOST_KEPT = 10_000  # a place is a few hundred bytes; forgetting one costs one query


class SessionCursor:
    """A session's end; shared by the places of all its branches."""

    __slots__ = ("id", "next_ord", "pk", "prog")

    def __init__(self, id_: str, pk: int, prog: int, next_ord: int) -> None:
        self.id = id_
        self.pk = pk
        self.prog = prog
        self.next_ord = next_ord


class AppendCursor:
    """A branch's end, and its session's."""

    __slots__ = ("next_ord", "prog", "session")

    def __init__(self, session: SessionCursor, prog: int, next_ord: int) -> None:
        self.session = session
        self.prog = prog
        self.next_ord = next_ord


_PLACE = """
SELECT b.session_id, s.pk, s.progression_id, sh.pk, b.progression_id, bh.pk
  FROM branches b
  LEFT JOIN sessions s ON s.id = b.session_id
  LEFT JOIN progression_heads sh ON sh.id = s.progression_id
  LEFT JOIN progression_heads bh ON bh.id = b.progression_id
 WHERE b.id = :branch
"""
_NEXT_ORD = "SELECT coalesce(max(ord) + 1, 0) FROM progression_items WHERE prog = :prog"
_TAKE = "INSERT INTO progression_items (prog, ord, message_id) VALUES (?, ?, ?)"


def cursor_of(conn: Connection, branch_id: str) -> AppendCursor:
    """The place of a branch; one that has no progression yet (a fork, an old row) gets it now."""
    row = conn.one(_PLACE, {"branch": branch_id})
    if row is None:
        raise NotFound(f"there is no branch {branch_id}", hint="`li state show SESSION` lists its branches")
    session_id, session_pk, session_progression, session_prog, branch_progression, branch_prog = row
    for owner, progression, prog in (
        ("session", session_progression, session_prog),
        ("branch", branch_progression, branch_prog),
    ):
        if progression is not None and prog is None:
            raise CorruptStore(f"the progression {progression} of the {owner} is gone", hint="see `li state doctor`")
    if session_prog is None:
        session_prog = _give_progression(conn, _SESSION_PROGRESSION, session_id)
    if branch_prog is None:
        branch_prog = _give_progression(conn, _BRANCH_PROGRESSION, branch_id)
    session = conn.sessions.get(session_id)
    if session is None or (session.pk, session.prog) != (session_pk, session_prog):
        session = SessionCursor(session_id, session_pk, session_prog, next_ord(conn, session_prog))
    return AppendCursor(session, branch_prog, next_ord(conn, branch_prog))


def refresh(conn: Connection, place: AppendCursor) -> None:
    """Somebody else appended: take the next free ords anew."""
    place.session.next_ord = next_ord(conn, place.session.prog)
    place.next_ord = next_ord(conn, place.prog)


def next_ord(conn: Connection, prog: int) -> int:
    """The first ord that nothing stands at."""
    return int(conn.value(_NEXT_ORD, {"prog": prog}))


def insert_positions(conn: Connection, prog: int, start: int, ids: Iterable[str]) -> None:
    """Put messages into a progression, one after the other from an ord on."""
    conn.many(_TAKE, ((prog, start + number, id_) for number, id_ in enumerate(ids)))


def cache(conn: Connection, branch_id: str, place: AppendCursor) -> None:
    """Keep a place for the next message; called only after it was used with success."""
    if len(conn.places) >= _MOST_KEPT:
        conn.forget_places()
    conn.places[branch_id] = place
    conn.sessions[place.session.id] = place.session


_HEAD = "INSERT INTO progression_heads (id, created_at) VALUES (:id, :at) RETURNING pk"
_SESSION_PROGRESSION = "UPDATE sessions SET progression_id = :progression WHERE id = :id"
_BRANCH_PROGRESSION = "UPDATE branches SET progression_id = :progression WHERE id = :id"


def new_progression(conn: Connection, at: float) -> tuple[str, int]:
    """An empty progression: its id and its key."""
    progression = new_id()
    return progression, conn.value(_HEAD, {"id": progression, "at": at})


def _give_progression(conn: Connection, sql: str, owner_id: str) -> int:
    progression, prog = new_progression(conn, time.time())
    conn.execute(sql, {"progression": progression, "id": owner_id})
    return prog
