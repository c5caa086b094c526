"""The change feed: numbered rows written with every commit, read in order, never doubled, never skipped.

A reader keeps the last seq it saw. When that row was trimmed, or the file was replaced, the reader gets `resync` and
must fetch everything again.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from lionstudio.state.connection import Connection

KEEP_ROWS = 200_000
KEEP_SECONDS = 7 * 86400
BATCH = 1000


class Change(NamedTuple):
    """One row of the feed."""

    seq: int
    at: float
    kind: str
    entity: str
    entity_id: str
    parent_id: str | None
    ord: int | None


class Changes(NamedTuple):
    """The rows after a seq; `resync` means rows are missing and the reader must fetch everything again."""

    rows: tuple[Change, ...]
    last_seq: int
    resync: bool = False


_AFTER = """
SELECT seq, at, kind, entity, entity_id, parent_id, ord FROM changes WHERE seq > :after ORDER BY seq LIMIT :limit
"""


def last_seq(conn: Connection) -> int:
    """The newest seq; a caller that reads the state in the same transaction can follow from here."""
    return int(conn.value("SELECT coalesce(max(seq), 0) FROM changes"))


def changes_after(conn: Connection, after: int, limit: int = BATCH) -> Changes:
    rows = tuple(Change(*row) for row in conn.all(_AFTER, {"after": after, "limit": limit}))
    if rows and rows[-1].seq - after == len(rows):
        return Changes(rows, rows[-1].seq)
    newest = last_seq(conn)
    if not rows and newest >= after:
        return Changes((), after)  # rows committed since the first statement come with the next call
    # trimmed past the reader, a hole made by another tool, or a file that is younger than the reader's memory
    return Changes((), newest, resync=True)


_RECORD = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id)
VALUES ((julianday('now') - 2440587.5) * 86400.0, :kind, :entity, :id, :parent)
"""


def record_change(conn: Connection, kind: str, entity: str, entity_id: str, parent_id: str | None = None) -> None:
    """Add a row for a change that no trigger sees, in its transaction."""
    conn.execute(_RECORD, {"kind": kind, "entity": entity, "id": entity_id, "parent": parent_id})


_TRIM = """
DELETE FROM changes WHERE seq IN (
  SELECT seq FROM changes
   WHERE seq < (SELECT max(seq) FROM changes)
     AND (seq <= (SELECT max(seq) FROM changes) - :rows
          OR seq < coalesce((SELECT seq FROM changes WHERE at >= :before ORDER BY seq LIMIT 1), 9223372036854775807))
   ORDER BY seq LIMIT :most)
"""
_MOST_AT_ONCE = 20_000  # a trim must not hold the write lock for long


def trim(conn: Connection, *, rows: int = KEEP_ROWS, seconds: float = KEEP_SECONDS) -> None:
    """Delete old rows from the front of the feed; the newest always stays, so that no seq is used twice.

    Only from the front: an imported message has an old time, and readers would not notice a hole behind newer rows.
    """
    conn.execute(_TRIM, {"rows": rows, "before": time.time() - seconds, "most": _MOST_AT_ONCE})
