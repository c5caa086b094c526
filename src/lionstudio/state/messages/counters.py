"""Counters, pointers and usage that messages add to their session and branch."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.model.usage import NOTHING, Usage
from lionstudio.state.connection import Connection


class CounterUpdate(NamedTuple):
    added: int
    first_id: str | None
    last_id: str | None
    last_at: float | None
    usage: Usage


_COUNT_MESSAGES = """
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


def update_session_counters(conn: Connection, session_id: str, update: CounterUpdate) -> None:
    params = {"first": update.first_id, "last": update.last_id, "at": update.last_at, "added": update.added}
    conn.execute(_COUNT_MESSAGES, params | {"id": session_id})
    add_usage(conn, session_id, update.usage)


def add_usage(conn: Connection, session_id: str, usage: Usage) -> None:
    if usage != NOTHING:
        conn.execute(_SESSION_USAGE, {"id": session_id, **usage._asdict()})


def update_branch_usage(conn: Connection, branch_id: str, usage: Usage, system_id: str | None) -> None:
    """Add usage to a branch and set its newest system prompt, where there is one."""
    if system_id is not None:
        conn.execute(_SYSTEM_POINTER, {"id": branch_id, "system": system_id})
    if usage != NOTHING:
        conn.execute(_BRANCH_USAGE, {"id": branch_id, **usage._asdict()})
