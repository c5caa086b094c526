"""Live runs that are stored twice: as they were recorded, and as a copy that was imported from their transcript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.crash import point
from lionstudio.model.json_codec import dump
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import record_change
from lionstudio.state.row_values import integer_in
from lionstudio.state.usage.ledger import delete_ledger


class DoubleRun(NamedTuple):
    """A live run and the imported session that holds its records again."""

    session_id: str
    copy_id: str
    conversation: str
    tool: str
    title: str | None
    messages: int  # of the copy
    cost_microusd: int | None


# A run that its transcript completed has aliases. A copy has records from the time of the run.
_LIST = """
SELECT l.id, t.id, t.conversation_id, substr(t.source_kind, 10), coalesce(l.name, l.title), t.message_count,
       t.cost_microusd
  FROM sessions t
  JOIN branches b ON b.conversation_id = t.conversation_id
  JOIN sessions l ON l.id = b.session_id AND l.source_kind IN ('live', 'imported_db')
 WHERE t.source_kind IN ('imported_claude', 'imported_codex') AND t.conversation_id IS NOT NULL AND t.message_count > 0
   AND (CAST(:copy AS TEXT) IS NULL OR t.id = :copy)
   AND t.last_message_at >= coalesce(l.started_at, l.created_at) AND t.started_at <= coalesce(l.ended_at, 1e12) + 5
   AND NOT EXISTS (SELECT 1 FROM progression_heads h JOIN progression_items i ON i.prog = h.pk
                     JOIN message_aliases a ON a.message_id = i.message_id WHERE h.id = b.progression_id)
 ORDER BY t.created_at, t.id, l.created_at, l.id
"""


def list_doubles(conn: Connection, copy_id: str | None = None) -> list[DoubleRun]:
    """The runs that are stored twice, all or only the one with this copy; a copy of several runs is listed once."""
    doubles = [DoubleRun(*row) for row in conn.all(_LIST, {"copy": copy_id})]
    return list({double[1]: double for double in reversed(doubles)}.values())[::-1]


_DETACH = (
    """
DELETE FROM progression_items WHERE prog IN (
  SELECT pk FROM progression_heads WHERE id = (SELECT progression_id FROM sessions WHERE id = :id))
""",
    """
UPDATE sessions SET first_msg_id = NULL, last_msg_id = NULL, last_message_at = NULL, message_count = 0,
  input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0, cost_microusd = NULL
 WHERE id = :id
""",
)
_DETACH_BRANCH = (
    """
DELETE FROM progression_items WHERE prog = (
  SELECT pk FROM progression_heads WHERE id = (SELECT progression_id FROM branches WHERE id = :id))
""",
    """
UPDATE branches SET system_msg_id = NULL, input_tokens = 0, output_tokens = 0, cache_read_tokens = 0,
  cache_write_tokens = 0, cost_microusd = NULL
 WHERE id = :id
""",
)


def detach_messages(conn: Connection, session_id: str, branch_ids: Iterable[str]) -> None:
    """Take the messages out of a session and of these branches; the rows of the messages stay."""
    for sql in _DETACH:
        conn.execute(sql, {"id": session_id})
    delete_ledger(conn, session_id)
    for branch_id in branch_ids:
        for sql in _DETACH_BRANCH:
            conn.execute(sql, {"id": branch_id})
    record_change(conn, "appended", "session", session_id)
    conn.forget_cursors()
    point("doubles.detached")


_MOVE_BRANCH = """
UPDATE branches SET session_id = :session,
  node_metadata = json_set(coalesce(node_metadata, '{}'), '$.lane', coalesce(name, id), '$.parent', :parent)
 WHERE id = :id
"""


def move_branch(conn: Connection, branch_id: str, session_id: str, parent_id: str) -> None:
    """Give a sub-agent's branch to another session."""
    conn.execute(_MOVE_BRANCH, {"id": branch_id, "session": session_id, "parent": parent_id})
    conn.forget_cursors()


_DELETE_LOOSE = """
DELETE FROM messages WHERE id IN (SELECT value FROM json_each(:ids))
   AND NOT EXISTS (SELECT 1 FROM progression_items i WHERE i.message_id = messages.id)
"""


def delete_loose_messages(conn: Connection, ids: Sequence[str]) -> None:
    """Delete the messages among these that have no position any more."""
    conn.execute(_DELETE_LOOSE, {"ids": dump(list(ids))})


_POSITION = """
SELECT b.id, i.ord FROM progression_items i JOIN progression_heads h ON h.pk = i.prog
  JOIN branches b ON b.progression_id = h.id WHERE i.message_id = :id LIMIT 1
"""
_FORKED_AT = integer_in("node_metadata", "$.forked_at_ord")
_CHILDREN = f"SELECT id, {_FORKED_AT} FROM branches WHERE parent_branch_id = :branch"  # noqa: S608  (ours)
_SET_PARENT = """
UPDATE branches SET node_metadata = json_set(node_metadata, '$.parent_branch_id', :parent, '$.forked_at_ord', :ord)
 WHERE id = :id
"""


def move_forks(conn: Connection, branch_id: str, order: Sequence[str], stored: Mapping[str, str]) -> None:
    """Let the forks of a branch begin at the same messages where these are stored now."""
    for child, ord_ in conn.all(_CHILDREN, {"branch": branch_id}):
        shared = order[: ord_ + 1] if isinstance(ord_, int) else []
        for id_ in reversed(shared):
            row = conn.one(_POSITION, {"id": stored.get(id_, id_)})
            if row is not None:
                conn.execute(_SET_PARENT, {"id": child, "parent": row[0], "ord": row[1]})
                break


_FOLLOW = (
    "UPDATE sessions SET continues = :to WHERE continues = :id",
    "UPDATE sessions SET retries = :to WHERE retries = :id",
    "UPDATE sessions SET forked_from = :to WHERE forked_from = :id",
    "INSERT INTO session_tags SELECT :to, tag, created_at FROM session_tags WHERE session_id = :id "
    "ON CONFLICT DO NOTHING",
    """
UPDATE sessions SET note = coalesce(note, (SELECT note FROM sessions WHERE id = :id)),
  name = coalesce(name, (SELECT name FROM sessions WHERE id = :id AND name IS DISTINCT FROM title))
 WHERE id = :to
""",
    "UPDATE plays SET session_id = :to WHERE session_id = :id",
    "UPDATE team_messages SET session_id = :to WHERE session_id = :id",
    "UPDATE mirror_files SET session_id = :to WHERE session_id = :id",
)
_DROP = ("DELETE FROM sessions WHERE id = :id",)
_HEADS = """
SELECT progression_id FROM sessions WHERE id = :id UNION SELECT progression_id FROM branches WHERE session_id = :id
"""


def replace_session(conn: Connection, session_id: str, by: str) -> None:
    """Delete an empty session; what pointed at it points at another session now."""
    for sql in _FOLLOW:
        conn.execute(sql, {"id": session_id, "to": by})
    heads = [head for (head,) in conn.all(_HEADS, {"id": session_id}) if head is not None]
    for sql in _DROP:
        conn.execute(sql, {"id": session_id})
    for head in heads:
        conn.execute("DELETE FROM progression_heads WHERE id = :id", {"id": head})
    conn.forget_cursors()
    point("doubles.replaced")


_CONTINUES = "UPDATE sessions SET continues = coalesce(continues, :session) WHERE id = :id AND started_at > :started_at"


def set_continues(conn: Connection, session_id: str, earlier: str, started_at: float) -> None:
    conn.execute(_CONTINUES, {"id": session_id, "session": earlier, "started_at": started_at})


def session_facts(conn: Connection, session_id: str) -> dict[str, Any]:
    """The counters of a session."""
    return conn.first_dict("SELECT message_count, status FROM sessions WHERE id = :id", {"id": session_id}) or {}
