"""The timeline of a run: how many messages of each branch and role fall into each bucket of time."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.state.connection import Connection
from lionstudio.state.messages.outline import number_or_none
from lionstudio.state.messages.pages import MessageScope

_SPAN = """
SELECT (SELECT m.created_at FROM progression_items i JOIN messages m ON m.id = i.message_id
         WHERE i.prog = :prog ORDER BY i.ord LIMIT 1),
       (SELECT m.created_at FROM progression_items i JOIN messages m ON m.id = i.message_id
         WHERE i.prog = :prog ORDER BY i.ord DESC LIMIT 1)
"""
_BLOCKS = """
SELECT branch, bucket, count(*), min(ord), max(ord), count(*) FILTER (WHERE role = 'user'),
       count(*) FILTER (WHERE role = 'assistant'), count(*) FILTER (WHERE role = 'tool')
  FROM (SELECT i.ord AS ord, m.role AS role,
               max(0, min(:buckets - 1, CAST((m.created_at - :start) / :width AS INTEGER))) AS bucket,
               coalesce(:branch, (
                 SELECT b.id FROM progression_items j CROSS JOIN progression_heads g ON g.pk = j.prog
                  CROSS JOIN branches b ON b.progression_id = g.id
                  WHERE j.message_id = i.message_id AND b.session_id = :session LIMIT 1), '') AS branch
          FROM progression_items i JOIN messages m ON m.id = i.message_id WHERE i.prog = :prog) m
 GROUP BY branch, bucket ORDER BY branch, bucket
"""


class Block(NamedTuple):
    """The messages of one branch in one bucket of time."""

    branch_id: str | None
    bucket: int
    messages: int
    first_ord: int
    last_ord: int
    user: int
    assistant: int
    tool: int


class Timeline(NamedTuple):
    """Buckets of equal length, and a block for each branch with messages in one."""

    start: float | None
    width: float
    buckets: int
    blocks: list[Block]


def timeline(conn: Connection, scope: MessageScope, buckets: int) -> Timeline:
    start, end = (number_or_none(value) for value in conn.one(_SPAN, {"prog": scope.prog}) or (None, None))
    if start is None or end is None:
        return Timeline(start, 0.0, buckets, [])
    width = max((end - start) / buckets, 0.001)
    params = {
        "prog": scope.prog,
        "session": scope.session_id,
        "branch": scope.branch_id,
        "start": start,
        "width": width,
        "buckets": buckets,
    }
    blocks = [Block(*row)._replace(branch_id=row[0] or None) for row in conn.all(_BLOCKS, params)]
    return Timeline(start, width, buckets, blocks)
