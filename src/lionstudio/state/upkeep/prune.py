"""Prune: delete old sessions that no rule keeps (ADR-0009, ADR-0017).

Kept at any age: the newest N, running ones, sessions that a play or a team message refers to, and sessions that
another session's branch was forked from. Progressions and their messages stay unless orphan progressions are
requested.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lionstudio.crash import point
from lionstudio.errors import InvalidInput
from lionstudio.state.connection import Connection, plain_errors

_BATCH = 200  # sessions, progressions or messages in one statement: a prune never holds the lock for long


class PrunePlan(NamedTuple):
    """Numbers of rows that a prune would delete, and of old sessions that it keeps, by reason."""

    sessions: int
    kept_running: int
    kept_for_plays: int
    kept_for_teams: int
    kept_for_forks: int
    orphan_progressions: int
    orphan_messages: int
    bytes_freed: int


# The sessions that are old enough, and the reasons that keep some of them.
_CANDIDATES = """
CREATE TEMP TABLE prune_sessions AS
  SELECT pk, id, status IS 'running' AS running,
         EXISTS (SELECT 1 FROM plays p WHERE p.session_id = s.id) AS played,
         EXISTS (SELECT 1 FROM team_messages t WHERE t.session_id = s.id) AS teamed,
         0 AS forked, 0 AS stays
    FROM sessions s
   WHERE updated_at < :before
     AND pk NOT IN (SELECT pk FROM sessions ORDER BY updated_at DESC, pk DESC LIMIT :keep_n)
"""
_STAY = "UPDATE prune_sessions SET stays = 1 WHERE running OR played OR teamed"
# A fork reads its parent's messages: the parent of a kept session is kept, and so on upwards.
_STAY_FOR_FORKS = """
UPDATE prune_sessions SET forked = 1, stays = 1
 WHERE NOT stays AND id IN (
   SELECT parent.session_id FROM branches child JOIN branches parent ON parent.id = child.parent_branch_id
    WHERE child.parent_branch_id IS NOT NULL
      AND child.session_id NOT IN (SELECT id FROM prune_sessions WHERE NOT stays))
RETURNING id
"""
_COUNTS = """
SELECT coalesce(sum(NOT stays), 0), coalesce(sum(running), 0), coalesce(sum(played AND NOT running), 0),
       coalesce(sum(teamed AND NOT (played OR running)), 0), coalesce(sum(forked), 0)
  FROM prune_sessions
"""
# A progression is an orphan when no kept session or branch owns it; mailboxes own theirs.
_ORPHANS = """
INSERT INTO prune_progressions
  SELECT h.pk, h.id FROM progression_heads h
   WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.progression_id = h.id
                        AND s.id NOT IN (SELECT id FROM prune_sessions WHERE NOT stays))
     AND NOT EXISTS (SELECT 1 FROM branches b WHERE b.progression_id = h.id
                        AND b.session_id NOT IN (SELECT id FROM prune_sessions WHERE NOT stays))
     AND NOT EXISTS (SELECT 1 FROM mailboxes m WHERE m.progression_id = h.id)
"""
_ORPHAN_MESSAGES = """
INSERT INTO prune_messages
  SELECT m.pk, coalesce(octet_length(m.content), 0) + coalesce(octet_length(m.node_metadata), 0)
               + coalesce(octet_length(m.embedding), 0)
    FROM messages m
   WHERE NOT EXISTS (SELECT 1 FROM progression_items i WHERE i.message_id = m.id
                        AND i.prog NOT IN (SELECT pk FROM prune_progressions))
"""
_TABLES = """
DROP TABLE IF EXISTS temp.prune_sessions;
DROP TABLE IF EXISTS temp.prune_progressions;
DROP TABLE IF EXISTS temp.prune_messages;
CREATE TEMP TABLE prune_progressions (pk INTEGER PRIMARY KEY, id TEXT);
CREATE TEMP TABLE prune_messages (pk INTEGER PRIMARY KEY, bytes INTEGER);
"""


def plan_prune(conn: Connection, *, before: float, keep_n: int = 100, orphan_progressions: bool = False) -> PrunePlan:
    """Plan a prune; it writes only temporary tables, so a read-only connection suffices."""
    if keep_n < 0:
        raise InvalidInput(f"the number of sessions to keep must be 0 or more, not {keep_n}")
    with plain_errors(conn.path):
        return _planned(conn, before, keep_n, orphan_progressions)


def _planned(conn: Connection, before: float, keep_n: int, orphan_progressions: bool) -> PrunePlan:
    conn.execute(_TABLES)
    conn.execute(_CANDIDATES, {"before": before, "keep_n": keep_n})
    conn.execute("CREATE UNIQUE INDEX temp.prune_sessions_id ON prune_sessions(id)")
    conn.execute(_STAY)
    while conn.all(_STAY_FOR_FORKS):
        pass
    if orphan_progressions:
        conn.execute(_ORPHANS)
    conn.execute(_ORPHAN_MESSAGES)
    sessions, running, played, teamed, forked = conn.one(_COUNTS) or (0, 0, 0, 0, 0)
    progressions = conn.value("SELECT count(*) FROM prune_progressions")
    messages, size = conn.one("SELECT count(*), coalesce(sum(bytes), 0) FROM prune_messages") or (0, 0)
    return PrunePlan(sessions, running, played, teamed, forked, progressions, messages, size)


# Each deletes one batch of the plan, and only rows that still qualify: others write meanwhile.
_DELETE_SESSIONS = """
DELETE FROM sessions
 WHERE pk IN (SELECT pk FROM prune_sessions WHERE NOT stays AND pk > :after ORDER BY pk LIMIT :n)
   AND status IS NOT 'running'
   AND NOT EXISTS (SELECT 1 FROM plays p WHERE p.session_id = sessions.id)
   AND NOT EXISTS (SELECT 1 FROM team_messages t WHERE t.session_id = sessions.id)
   AND NOT EXISTS (SELECT 1 FROM branches parent JOIN branches child ON child.parent_branch_id = parent.id
                    WHERE parent.session_id = sessions.id AND child.session_id <> sessions.id
                      AND child.session_id NOT IN (SELECT id FROM prune_sessions WHERE NOT stays))
"""
_DELETE_PROGRESSIONS = """
DELETE FROM progression_heads
 WHERE pk IN (SELECT pk FROM prune_progressions WHERE pk > :after ORDER BY pk LIMIT :n)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.progression_id = progression_heads.id)
   AND NOT EXISTS (SELECT 1 FROM branches b WHERE b.progression_id = progression_heads.id)
   AND NOT EXISTS (SELECT 1 FROM mailboxes m WHERE m.progression_id = progression_heads.id)
"""
_DELETE_MESSAGES = """
DELETE FROM messages
 WHERE pk IN (SELECT pk FROM prune_messages WHERE pk > :after ORDER BY pk LIMIT :n)
   AND NOT EXISTS (SELECT 1 FROM progression_items i WHERE i.message_id = messages.id)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.first_msg_id = messages.id)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.last_msg_id = messages.id)
   AND NOT EXISTS (SELECT 1 FROM branches b WHERE b.system_msg_id = messages.id)
"""
_STEPS = (
    (
        "sessions",
        _DELETE_SESSIONS,
        "SELECT pk FROM prune_sessions WHERE NOT stays AND pk > :after ORDER BY pk LIMIT :n",
    ),
    ("progressions", _DELETE_PROGRESSIONS, "SELECT pk FROM prune_progressions WHERE pk > :after ORDER BY pk LIMIT :n"),
    ("messages", _DELETE_MESSAGES, "SELECT pk FROM prune_messages WHERE pk > :after ORDER BY pk LIMIT :n"),
)


class Pruned(NamedTuple):
    sessions: int
    progressions: int
    messages: int


def prune(conn: Connection, report: Callable[[str, int], None] = lambda what, done: None) -> Pruned:
    """Delete the rows that plan_prune listed on this connection, in short transactions.

    Killed between two of them, the next prune finds the rest.
    """
    with plain_errors(conn.path):
        deleted = {what: _delete(conn, what, delete, batch, report) for what, delete, batch in _STEPS}
    return Pruned(**deleted)


def _delete(conn: Connection, what: str, delete: str, batch: str, report: Callable[[str, int], None]) -> int:
    deleted, after = 0, -1
    while keys := conn.all(batch, {"after": after, "n": _BATCH}):
        with conn.transaction():
            deleted += len(conn.all(f"{delete} RETURNING 1", {"after": after, "n": _BATCH}))
            point(f"prune.{what}")
        after = keys[-1][0]
        report(what, deleted)
    return deleted
