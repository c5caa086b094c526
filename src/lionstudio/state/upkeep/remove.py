"""Remove single sessions with everything that belongs only to them.

Messages that another session has too stay. A branch that a fork elsewhere continues moves to the session of the fork,
up to the message where it was forked: the fork reads its beginning there. Transcripts that were read stay noted in
mirror_files, so a removed session is not imported again: if such a transcript grows, only the new part is imported.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from lionstudio.errors import Conflict
from lionstudio.model.json_codec import dump
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.state.connection import Connection
from lionstudio.state.row_values import integer_in
from lionstudio.state.sessions import get_session


class Removed(NamedTuple):
    """Numbers of rows; `kept_messages` are also in other sessions."""

    sessions: int
    messages: int
    kept_messages: int
    bytes_freed: int


_TABLES = """
DROP TABLE IF EXISTS temp.remove_progressions;
DROP TABLE IF EXISTS temp.remove_messages;
CREATE TEMP TABLE remove_progressions (pk INTEGER PRIMARY KEY, id TEXT);
CREATE TEMP TABLE remove_messages (id TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_OWN_PROGRESSIONS = """
INSERT INTO temp.remove_progressions
  SELECT h.pk, h.id FROM progression_heads h WHERE h.id IN (
    SELECT progression_id FROM sessions WHERE id IN (SELECT value FROM json_each(:ids))
    UNION SELECT progression_id FROM branches WHERE session_id IN (SELECT value FROM json_each(:ids))
    UNION SELECT progression_id FROM mailboxes WHERE owner IN (SELECT value FROM json_each(:owners)))
"""
_OWN_MESSAGES = """
INSERT INTO temp.remove_messages
  SELECT DISTINCT i.message_id FROM temp.remove_progressions p JOIN progression_items i ON i.prog = p.pk
"""
_BRANCHES = "SELECT id FROM branches WHERE session_id IN (SELECT value FROM json_each(:ids))"
# the branches whose messages a branch outside still reads, with the last of them
_CONTINUED = f"""
SELECT parent.id, child.session_id, child.id,
       {integer_in("child.node_metadata", "$.forked_at_ord")}
  FROM branches child JOIN branches parent ON parent.id = child.parent_branch_id
 WHERE child.parent_branch_id IS NOT NULL AND child.session_id NOT IN (SELECT value FROM json_each(:ids))
   AND parent.session_id IN (SELECT value FROM json_each(:ids))
 ORDER BY child.created_at, child.id
"""  # noqa: S608  (ours)
_MOVE_BRANCH = "UPDATE branches SET session_id = :session WHERE id = :id"
_CUT_BRANCH = """
DELETE FROM progression_items
 WHERE ord > :last AND prog = (SELECT h.pk FROM branches b JOIN progression_heads h ON h.id = b.progression_id
                                WHERE b.id = :id)
"""
_DETACH = (
    "UPDATE plays SET session_id = NULL WHERE session_id IN (SELECT value FROM json_each(:ids))",
    "UPDATE team_messages SET session_id = NULL WHERE session_id IN (SELECT value FROM json_each(:ids))",
    "DELETE FROM mailboxes WHERE owner IN (SELECT value FROM json_each(:owners))",
    "DELETE FROM read_positions WHERE reader IN (SELECT value FROM json_each(:owners))",
    # without messages and titles: what was read is not imported again when the transcript grows
    """
UPDATE mirror_files SET messages = 0, state = CASE WHEN json_valid(state) THEN json_remove(state, '$.facts.titles')
                                                   ELSE state END
 WHERE session_id IN (SELECT value FROM json_each(:ids))
""",
)
_DELETE_SESSIONS = "DELETE FROM sessions WHERE id IN (SELECT value FROM json_each(:ids))"
_DELETE_PROGRESSIONS = """
DELETE FROM progression_heads
 WHERE pk IN (SELECT pk FROM temp.remove_progressions)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.progression_id = progression_heads.id)
   AND NOT EXISTS (SELECT 1 FROM branches b WHERE b.progression_id = progression_heads.id)
   AND NOT EXISTS (SELECT 1 FROM mailboxes m WHERE m.progression_id = progression_heads.id)
"""
_UNREFERENCED = """
    id IN (SELECT id FROM temp.remove_messages)
   AND NOT EXISTS (SELECT 1 FROM progression_items i WHERE i.message_id = messages.id)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.first_msg_id = messages.id)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.last_msg_id = messages.id)
   AND NOT EXISTS (SELECT 1 FROM branches b WHERE b.system_msg_id = messages.id)
"""
_SIZE = f"""
SELECT count(*), coalesce(sum(coalesce(octet_length(content), 0) + coalesce(octet_length(node_metadata), 0)
                              + coalesce(octet_length(embedding), 0)), 0) FROM messages WHERE {_UNREFERENCED}
"""  # noqa: S608  (ours)
_DELETE_MESSAGES = f"DELETE FROM messages WHERE {_UNREFERENCED}"  # noqa: S608  (ours)


def remove_sessions(conn: Connection, session_ids: Collection[str]) -> Removed:
    """Remove sessions that have ended; a missing or running one raises, and nothing is removed."""
    for session_id in session_ids:
        if get_session(conn, session_id).status is SessionStatus.RUNNING:
            raise Conflict(f"session {session_id} is running", hint=f"stop it first: li kill {session_id}")
    ids = {"ids": dump(sorted(session_ids))}
    branches = [str(id_) for (id_,) in conn.all(_BRANCHES, ids)]
    both: dict[str, Any] = ids | {"owners": dump(sorted({*session_ids, *branches}))}
    conn.execute(_TABLES)
    conn.execute(_OWN_PROGRESSIONS, both)
    conn.execute(_OWN_MESSAGES)
    _hand_over_branches(conn, ids)
    for statement in _DETACH:
        conn.execute(statement, {name: both[name] for name in both if f":{name}" in statement})
    conn.execute(_DELETE_SESSIONS, ids)
    conn.execute(_DELETE_PROGRESSIONS)
    messages, size = conn.one(_SIZE) or (0, 0)
    total = conn.value("SELECT count(*) FROM temp.remove_messages")
    conn.execute(_DELETE_MESSAGES)
    conn.forget_cursors()
    return Removed(len(session_ids), messages, total - messages, size)


def _hand_over_branches(conn: Connection, ids: dict[str, str]) -> None:
    """Move every branch that a fork outside continues; then its own parent is continued from outside, and so on."""
    last_ords: dict[str, int] = {}
    while continued := conn.all(_CONTINUED, ids):
        for parent, session_id, _, ord_ in continued:
            last_ords[parent] = max(last_ords.get(parent, -1), 2**62 if ord_ is None else ord_)
            conn.execute(_MOVE_BRANCH, {"id": parent, "session": session_id})
    for branch_id, last in last_ords.items():
        conn.execute(_CUT_BRANCH, {"id": branch_id, "last": last})
