"""What messages add to their session and branch beside their place: counters, pointers and usage, spelled once."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.model.usage import NOTHING, Usage
from lionstudio.state.connection import Connection


class CounterUpdate(NamedTuple):
    """What came to a session with some messages."""

    added: int
    first_id: str | None
    last_id: str | None
    last_at: float | None
    used: Usage


_GROW = """
UPDATE sessions SET
  first_msg_id = coalesce(first_msg_id, :first), last_msg_id = :last,
  last_message_at = max(coalesce(last_message_at, :at, 0), coalesce(:at, 0)),
  updated_at = max(updated_at, coalesce(:at, 0)), message_count = message_count + :added
 WHERE id = :id
"""
_SESSION_USAGE = """
UPDATE sessions SET
  input_tokens = input_tokens + :input_tokens, output_tokens = output_tokens + :output_tokens,
  cache_read_tokens = cache_read_tokens + :cache_read_tokens,
  cache_write_tokens = cache_write_tokens + :cache_write_tokens,
  cost_microusd = coalesce(cost_microusd + :cost_microusd, cost_microusd, :cost_microusd)
 WHERE id = :id
"""
_BRANCH_USAGE = """
UPDATE branches SET
  input_tokens = input_tokens + :input_tokens, output_tokens = output_tokens + :output_tokens,
  cache_read_tokens = cache_read_tokens + :cache_read_tokens,
  cache_write_tokens = cache_write_tokens + :cache_write_tokens,
  cost_microusd = coalesce(cost_microusd + :cost_microusd, cost_microusd, :cost_microusd)
 WHERE id = :id
"""
_SYSTEM_POINTER = "UPDATE branches SET system_msg_id = :system WHERE id = :id"


def update_session_counters(conn: Connection, session_id: str, growth: CounterUpdate) -> None:
    """Count messages that were added to a session, however many."""
    bound = {"first": growth.first_id, "last": growth.last_id, "at": growth.last_at, "added": growth.added}
    conn.execute(_GROW, bound | {"id": session_id})
    add_usage(conn, session_id, growth.used)


def add_usage(conn: Connection, session_id: str, used: Usage) -> None:
    """Add to what a session has used."""
    if used != NOTHING:
        conn.execute(_SESSION_USAGE, {"id": session_id, **used._asdict()})


def update_branch_usage(conn: Connection, branch_id: str, used: Usage, system_id: str | None) -> None:
    """Add to what a branch has used, and point at its newest system prompt; each only where there is one."""
    if system_id is not None:
        conn.execute(_SYSTEM_POINTER, {"id": branch_id, "system": system_id})
    if used != NOTHING:
        conn.execute(_BRANCH_USAGE, {"id": branch_id, **used._asdict()})
