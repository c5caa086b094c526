"""Where a branch's messages go: the progressions of the branch and of its session, looked up once."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.errors import CorruptStore, NotFound
from lionstudio.model.ids import new_id
from lionstudio.state.connection import Connection

_MOST_KEPT = 10_000  # a place is a few hundred bytes; forgetting one costs one query


class Place(NamedTuple):
    """The session of a branch, and the two progressions that an append extends."""

    session_id: str
    session_prog: int
    branch_prog: int


_PLACE = """
SELECT b.session_id, s.progression_id, sh.pk, b.progression_id, bh.pk
  FROM branches b
  LEFT JOIN sessions s ON s.id = b.session_id
  LEFT JOIN progression_heads sh ON sh.id = s.progression_id
  LEFT JOIN progression_heads bh ON bh.id = b.progression_id
 WHERE b.id = :branch
"""


def place_of(conn: Connection, branch_id: str) -> Place:
    """The place of a branch; a fork or an old row that has no progression yet gets one."""
    row = conn.one(_PLACE, {"branch": branch_id})
    if row is None:
        raise NotFound(f"there is no branch {branch_id}", hint="`li state show SESSION` lists its branches")
    session_id, session_progression, session_prog, branch_progression, branch_prog = row
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
    return Place(session_id, session_prog, branch_prog)


def remember(conn: Connection, branch_id: str, place: Place) -> None:
    """Keep a place for the next message; called only after it was used with success."""
    if len(conn.places) >= _MOST_KEPT:
        conn.places.clear()
    conn.places[branch_id] = place


_HEAD = "INSERT INTO progression_heads (id, created_at) VALUES (:id, :at) RETURNING pk"
_SESSION_PROGRESSION = "UPDATE sessions SET progression_id = :progression WHERE id = :id"
_BRANCH_PROGRESSION = "UPDATE branches SET progression_id = :progression WHERE id = :id"


def new_progression(conn: Connection, at: float) -> tuple[str, int]:
    """An empty progression: its id and its key."""
    progression = new_id()
    return progression, conn.value(_HEAD, {"id": progression, "at": at})


_NOW = "SELECT (julianday('now') - 2440587.5) * 86400.0"


def _give_progression(conn: Connection, sql: str, owner_id: str) -> int:
    progression, prog = new_progression(conn, conn.value(_NOW))
    conn.execute(sql, {"progression": progression, "id": owner_id})
    return prog
