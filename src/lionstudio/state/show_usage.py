"""Usage of a show, summed over the sessions of its plays."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.state.connection import Connection


class ShowUsage(NamedTuple):
    """Sums over all sessions of a show; `unpriced` counts those without a known price."""

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
    """Return tokens in and out, known costs, and the total time of all agents."""
    row = conn.one(_USAGE, {"topic": topic, "now": now})
    assert row is not None
    return ShowUsage(*row)
