"""What a show has used so far, told from the sessions that its plays have had."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.state.connection import Connection


class ShowUsage(NamedTuple):
    """Sums over every session of a show; `unpriced` are those whose price is not known."""

    tokens: int
    cost_microusd: int
    seconds: float
    sessions: int
    unpriced: int


_USAGE = """
SELECT coalesce(sum(input_tokens + output_tokens), 0), coalesce(sum(cost_microusd), 0),
       coalesce(sum(coalesce(ended_at, :now) - started_at), 0.0), count(*),
       count(*) - count(cost_microusd)
  FROM sessions WHERE show_topic = :topic
"""


def usage_of_show(conn: Connection, topic: str, now: float) -> ShowUsage:
    """Tokens in and out, known costs, and the time of all its agents together."""
    row = conn.one(_USAGE, {"topic": topic, "now": now})
    assert row is not None
    return ShowUsage(*row)
