"""Sessions and branches that an import finds in the database already, looked up by index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lionstudio.state.connection import Connection, Row


class Existing(NamedTuple):
    """The end of an existing session or branch: its session, progression, length and last message."""

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
_RUN_WINDOW = 300.0  # seconds between the id of a run and the row that is created for it


def find_session_of_run(conn: Connection, run_id: str, around: float | None) -> str | None:
    """The session with a run id in its metadata, among those created around that time."""
    if around is None:
        return None
    window = {"earliest": around - _RUN_WINDOW, "latest": around + _RUN_WINDOW}
    session_id: str | None = conn.value(_BY_RUN, window | {"run": run_id})
    return session_id


_SESSION_END = """
SELECT s.id, s.updated_at, h.pk FROM sessions s LEFT JOIN progression_heads h ON h.id = s.progression_id
 WHERE s.id = :id
"""
_BRANCH_END = """
SELECT b.session_id, s.updated_at, h.pk FROM branches b JOIN sessions s ON s.id = b.session_id
  LEFT JOIN progression_heads h ON h.id = b.progression_id
 WHERE b.id = :id
"""
_END = "SELECT ord + 1, message_id FROM progression_items WHERE prog = :prog ORDER BY ord DESC LIMIT 1"
_ORDER = "SELECT message_id FROM progression_items WHERE prog = :prog ORDER BY ord"


def find_existing(conn: Connection, session_id: str) -> Existing | None:
    return _existing(conn, conn.one(_SESSION_END, {"id": session_id}))


def find_branch_end(conn: Connection, branch_id: str) -> Existing | None:
    return _existing(conn, conn.one(_BRANCH_END, {"id": branch_id}))


def _existing(conn: Connection, row: Row | None) -> Existing | None:
    if row is None:
        return None
    return Existing(*row, *(conn.one(_END, {"prog": row[2]}) or (0, None)))


def own_ids(conn: Connection, branch_id: str) -> list[str]:
    """The ids of a branch's own messages, in order."""
    end = find_branch_end(conn, branch_id)
    return [] if end is None or end.prog is None else list(ids_in(conn, end.prog))


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
    """The newest session of a play: by ADR-0011's name, by its columns, or by its worktree in that time."""
    session_id: str | None = conn.value(_BY_NAME, {"name": f"show_{topic}_{play}"})
    session_id = session_id or conn.value(_BY_PLAY, {"topic": topic, "play": play})
    if session_id is None and worktree is not None:
        session_id = conn.value(_BY_WORKTREE, {"worktree": worktree, "earliest": earliest, "latest": latest})
    return session_id
