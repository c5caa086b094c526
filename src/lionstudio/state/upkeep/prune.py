"""Prune: delete old sessions that no rule keeps (ADR-0009, ADR-0017).

Kept at any age: the newest N, running ones, sessions that a play or a team message refers to, and sessions that
another session's branch was forked from. Progressions and their messages stay unless orphan progressions are
requested.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from lionstudio.crash import point
from lionstudio.errors import InvalidInput, StorageFailed
from lionstudio.state.backends import fulltext
from lionstudio.state.connection import Connection, plain_errors

_MOST_ROWS = 200  # sessions, progressions or messages in one transaction, and ten times as many positions
_GOAL_SECONDS = 0.025  # of one transaction: other writers wait for it


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
    left_messages: int  # of deleted sessions, in the file until orphan progressions are deleted too
    left_bytes: int
    newest_at: float | None  # the last update of any session: a clock far from it may be wrong


# The sessions that are old enough, and the reasons that keep some of them.
_CANDIDATES = """
CREATE TEMP TABLE prune_sessions AS
  SELECT pk, id, status IS NOT DISTINCT FROM 'running' AS running,
         EXISTS (SELECT 1 FROM plays p WHERE p.session_id = s.id) AS played,
         EXISTS (SELECT 1 FROM team_messages t WHERE t.session_id = s.id) AS teamed,
         false AS forked, false AS stays
    FROM sessions s
   WHERE updated_at < :before
     AND pk NOT IN (SELECT pk FROM sessions ORDER BY updated_at DESC, pk DESC LIMIT :keep_n)
"""
_STAY = "UPDATE prune_sessions SET stays = true WHERE running OR played OR teamed"
# A fork reads its parent's messages: the parent of a kept session is kept, and so on upwards.
_STAY_FOR_FORKS = """
UPDATE prune_sessions SET forked = true, stays = true
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
_IN_PROGRESSION = """
SELECT m.pk FROM temp.prune_messages p JOIN messages m ON m.pk = p.pk
 WHERE EXISTS (SELECT 1 FROM progression_items i WHERE i.message_id = m.id)
"""
_LEFT = f"SELECT count(*), coalesce(sum(bytes), 0) FROM temp.prune_messages WHERE pk IN ({_IN_PROGRESSION})"  # noqa: S608
_KEEP_LEFT = f"DELETE FROM temp.prune_messages WHERE pk IN ({_IN_PROGRESSION}); DELETE FROM temp.prune_progressions"  # noqa: S608
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
    if conn.pooled:  # its temporary tables would be those of another client, with another plan
        raise StorageFailed(
            f"{conn.path} is a pooler in transaction mode, where a prune cannot keep its plan",
            hint="use the server's own port in LIONAGI_DB",
        )
    with plain_errors(conn.path):
        return _planned(conn, before, keep_n, orphan_progressions)


def _planned(conn: Connection, before: float, keep_n: int, orphan_progressions: bool) -> PrunePlan:
    conn.execute(_TABLES)
    conn.execute(_CANDIDATES, {"before": before, "keep_n": keep_n})
    conn.execute("CREATE UNIQUE INDEX prune_sessions_id ON prune_sessions(id)")
    conn.execute(_STAY)
    while conn.all(_STAY_FOR_FORKS):
        pass
    conn.execute(_ORPHANS)
    conn.execute(_ORPHAN_MESSAGES)
    left_messages, left_bytes = 0, 0
    if not orphan_progressions:
        left_messages, left_bytes = conn.one(_LEFT) or (0, 0)
        conn.execute(_KEEP_LEFT)
    sessions, running, played, teamed, forked = conn.one(_COUNTS) or (0, 0, 0, 0, 0)
    progressions = conn.value("SELECT count(*) FROM prune_progressions")
    messages, size = conn.one("SELECT count(*), coalesce(sum(bytes), 0) FROM prune_messages") or (0, 0)
    newest = conn.value("SELECT max(updated_at) FROM sessions WHERE typeof(updated_at) IN ('real', 'integer')")
    return PrunePlan(
        sessions, running, played, teamed, forked, progressions, messages, size, left_messages, left_bytes, newest
    )


_UNOWNED = """
       NOT EXISTS (SELECT 1 FROM sessions s WHERE s.progression_id = p.id)
   AND NOT EXISTS (SELECT 1 FROM branches b WHERE b.progression_id = p.id)
   AND NOT EXISTS (SELECT 1 FROM mailboxes m WHERE m.progression_id = p.id)
"""
# Each deletes one batch of the plan, and only rows that still qualify: others write meanwhile.
_DELETE_SESSIONS = """
DELETE FROM sessions
 WHERE pk IN (SELECT pk FROM prune_sessions WHERE NOT stays AND pk > :after AND pk <= :last)
   AND status IS DISTINCT FROM 'running'
   AND NOT EXISTS (SELECT 1 FROM plays p WHERE p.session_id = sessions.id)
   AND NOT EXISTS (SELECT 1 FROM team_messages t WHERE t.session_id = sessions.id)
   AND NOT EXISTS (SELECT 1 FROM branches parent JOIN branches child ON child.parent_branch_id = parent.id
                    WHERE parent.session_id = sessions.id AND child.session_id <> sessions.id
                      AND child.session_id NOT IN (SELECT id FROM prune_sessions WHERE NOT stays))
RETURNING 1
"""
# from the end, so that what a kill leaves is the beginning of a list
_DELETE_POSITIONS = f"""
DELETE FROM progression_items WHERE (prog, ord) IN (
  SELECT i.prog, i.ord FROM prune_progressions p CROSS JOIN progression_items i ON i.prog = p.pk
   WHERE p.pk > :after AND p.pk <= :last AND {_UNOWNED} ORDER BY p.pk, i.ord DESC LIMIT :n)
RETURNING 1
"""  # noqa: S608  (ours)
_DELETE_PROGRESSIONS = f"""
DELETE FROM progression_heads
 WHERE pk IN (SELECT pk FROM prune_progressions p WHERE pk > :after AND pk <= :last AND {_UNOWNED})
RETURNING 1
"""  # noqa: S608  (ours)
_DELETE_MESSAGES = """
DELETE FROM messages
 WHERE pk IN (SELECT pk FROM prune_messages WHERE pk > :after AND pk <= :last)
   AND NOT EXISTS (SELECT 1 FROM progression_items i WHERE i.message_id = messages.id)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.first_msg_id = messages.id)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.last_msg_id = messages.id)
   AND NOT EXISTS (SELECT 1 FROM branches b WHERE b.system_msg_id = messages.id)
RETURNING 1
"""
_LAST_OF_BATCH = "SELECT max(pk) FROM (SELECT pk FROM {} pk > :after ORDER BY pk LIMIT :n) batch"


class Pruned(NamedTuple):
    sessions: int
    progressions: int
    messages: int


class _Pace:
    """The number of rows in a transaction: half as many after a long one, twice as many after a short one."""

    def __init__(self, conn: Connection, clock: Callable[[], float], most: int = _MOST_ROWS) -> None:
        self._conn, self._clock, self._most = conn, clock, most
        self.rows = most

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._conn.transaction():
            began = self._clock()  # after the wait for the lock, which delays no writer
            yield
        took = self._clock() - began
        if took > _GOAL_SECONDS:
            self.rows = max(1, self.rows // 2)
        elif took < _GOAL_SECONDS / 2:
            self.rows = min(self._most, self.rows * 2)


def prune(
    conn: Connection,
    report: Callable[[str, int], None] = lambda what, done: None,
    clock: Callable[[], float] = time.perf_counter,
) -> Pruned:
    """Delete the rows that plan_prune listed on this connection, in short transactions.

    Killed between two of them, the next prune finds the rest.
    """
    with plain_errors(conn.path):
        return _Prune(conn, report, clock).run()


class _Prune:
    def __init__(self, conn: Connection, report: Callable[[str, int], None], clock: Callable[[], float]) -> None:
        self._conn, self._report, self._clock = conn, report, clock
        self._indexing = _Pace(conn, clock)
        self._emptying = _Pace(conn, clock, _MOST_ROWS * 10)

    def run(self) -> Pruned:
        return Pruned(
            self._delete("sessions", "prune_sessions WHERE NOT stays AND", _DELETE_SESSIONS),
            self._delete("progressions", "prune_progressions WHERE", _DELETE_PROGRESSIONS, self._empty),
            self._delete("messages", "prune_messages WHERE", _DELETE_MESSAGES),
        )

    def _delete(
        self, what: str, planned: str, delete: str, prepare: Callable[[dict[str, int]], None] = lambda keys: None
    ) -> int:
        conn, pace, deleted, after = self._conn, _Pace(self._conn, self._clock), 0, -1
        while (last := conn.value(_LAST_OF_BATCH.format(planned), {"after": after, "n": pace.rows})) is not None:
            keys = {"after": after, "last": last}
            prepare(keys)
            with pace.transaction():
                deleted += len(conn.all(delete, keys))
                point(f"prune.{what}")
            self._forget_words()
            after = last
            self._report(what, deleted)
        return deleted

    def _empty(self, keys: dict[str, int]) -> None:
        """Delete the positions of these progressions; one of them may have any number."""
        rows, deleted = 0, 0
        while deleted == rows:
            rows = self._emptying.rows
            with self._emptying.transaction():
                deleted = len(self._conn.all(_DELETE_POSITIONS, keys | {"n": rows}))
                point("prune.positions")

    def _forget_words(self) -> None:
        index = fulltext(self._conn)
        while index.has_deleted(self._conn):
            with self._indexing.transaction():
                index.forget_deleted(self._conn, self._indexing.rows)
