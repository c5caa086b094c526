"""What is here already of something that is to be imported: found by index, never by looking through a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lionstudio.state.connection import Connection, Row


class Existing(NamedTuple):
    """Something that is here already: whose it is, when its session changed, and how far its messages reach."""

    session_id: str
    updated_at: float
    prog: int | None
    length: int
    last: str | None


_BY_RUN = """
SELECT id FROM sessions
 WHERE created_at BETWEEN :earliest AND :latest
   AND CASE WHEN json_valid(node_metadata) THEN json_extract(node_metadata, '$.run_id') END = :run LIMIT 1
"""
_RUN_WINDOW = 300.0  # seconds between the name that a run is given and the row that is made for it


def find_session_of_run(conn: Connection, run_id: str, around: float | None) -> str | None:
    """The session that notes a run's id, looked for among those made about that time: nothing is scanned."""
    if around is None:
        return None
    window = {"earliest": around - _RUN_WINDOW, "latest": around + _RUN_WINDOW}
    found: str | None = conn.value(_BY_RUN, window | {"run": run_id})
    return found


_SESSION_STANDING = """
SELECT s.id, s.updated_at, h.pk FROM sessions s LEFT JOIN progression_heads h ON h.id = s.progression_id
 WHERE s.id = :id
"""
_BRANCH_STANDING = """
SELECT b.session_id, s.updated_at, h.pk FROM branches b JOIN sessions s ON s.id = b.session_id
  LEFT JOIN progression_heads h ON h.id = b.progression_id
 WHERE b.id = :id
"""
_END = "SELECT ord + 1, message_id FROM progression_items WHERE prog = :prog ORDER BY ord DESC LIMIT 1"
_ORDER = "SELECT message_id FROM progression_items WHERE prog = :prog ORDER BY ord"


def find_existing(conn: Connection, session_id: str) -> Existing | None:
    """How far a session reaches, None when it is not here."""
    return _standing(conn, conn.one(_SESSION_STANDING, {"id": session_id}))


def find_branch_end(conn: Connection, branch_id: str) -> Existing | None:
    """How far a branch reaches, None when it is not here."""
    return _standing(conn, conn.one(_BRANCH_STANDING, {"id": branch_id}))


def _standing(conn: Connection, row: Row | None) -> Existing | None:
    if row is None:
        return None
    return Existing(*row, *(conn.one(_END, {"prog": row[2]}) or (0, None)))


def own_ids(conn: Connection, branch_id: str) -> list[str]:
    """The ids of a branch's own messages, in order."""
    place = find_branch_end(conn, branch_id)
    if place is None or place.prog is None:
        return []
    return list(ids_in(conn, place.prog))


def ids_in(conn: Connection, prog: int) -> Iterator[str]:
    """The ids of a progression, in order."""
    return (row[0] for row in conn.each(_ORDER, {"prog": prog}))


_BY_NAME = "SELECT id FROM sessions WHERE name = :name ORDER BY created_at DESC LIMIT 1"
_BY_PLAY = """
SELECT id FROM sessions WHERE show_topic = :topic AND show_play_name = :play ORDER BY created_at DESC LIMIT 1
"""
_BY_WORKTREE = """
SELECT id FROM sessions WHERE created_at BETWEEN :earliest AND :latest AND cwd = :worktree
 ORDER BY created_at DESC LIMIT 1
"""


def find_session_of_play(
    conn: Connection, topic: str, play: str, *, worktree: str | None, earliest: float, latest: float
) -> str | None:
    """The newest session that a play ran as: by ADR-0011's name, by its columns, by where it worked at the time."""
    found: str | None = conn.value(_BY_NAME, {"name": f"show_{topic}_{play}"})
    found = found or conn.value(_BY_PLAY, {"topic": topic, "play": play})
    if found is None and worktree is not None:
        found = conn.value(_BY_WORKTREE, {"worktree": worktree, "earliest": earliest, "latest": latest})
    return found
