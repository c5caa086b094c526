"""Usage of shows and their plays, summed over the sessions of their attempts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lionstudio.model.json_codec import dump
from lionstudio.model.usage import UsageSum
from lionstudio.state.connection import Connection


class ShowUsage(NamedTuple):
    """Sums over the sessions of a show or a play; `unpriced` counts those without a known price."""

    usage: UsageSum = UsageSum()
    seconds: float = 0.0
    sessions: int = 0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        return self.usage.tokens

    @property
    def cost_microusd(self) -> int:
        return self.usage.cost_microusd

    def to_dict(self) -> dict[str, Any]:
        """The usage as everywhere, and the time of all agents."""
        return {**self.usage.to_dict(), "seconds": self.seconds, "sessions": self.sessions, "unpriced": self.unpriced}


_SUMS = """coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cache_read_tokens), 0),
       coalesce(sum(cache_write_tokens), 0), coalesce(sum(cost_microusd), 0),
       coalesce(sum((SELECT sum(unpriced_tokens) FROM usage_ledger WHERE session_pk = sessions.pk)), 0),
       coalesce(sum(max(coalesce(ended_at, :now) - started_at, 0.0)), 0.0), count(*), count(*) - count(cost_microusd)"""
_OF_SHOW = f"SELECT {_SUMS} FROM sessions WHERE show_topic = :topic"  # noqa: S608  (ours)
_BY_PLAY = f"SELECT show_play_name, {_SUMS} FROM sessions WHERE show_topic = :topic GROUP BY 1"  # noqa: S608  (ours)
_BY_SHOW = f"""
SELECT show_topic, {_SUMS} FROM json_each(:topics) j
  JOIN sessions INDEXED BY idx_sessions_show ON show_topic = j.value GROUP BY 1
"""  # noqa: S608  (ours)


def usage_of_show(conn: Connection, topic: str, now: float) -> ShowUsage:
    """The tokens, the known costs, and the total time of all agents."""
    row = conn.one(_OF_SHOW, {"topic": topic, "now": now})
    return ShowUsage() if row is None else _usage(row)


def usage_by_play(conn: Connection, topic: str, now: float) -> dict[str | None, ShowUsage]:
    """The usage of each play of a show: all its attempts, reviews included."""
    return {row[0]: _usage(row[1:]) for row in conn.all(_BY_PLAY, {"topic": topic, "now": now})}


def usage_by_show(conn: Connection, topics: Sequence[str], now: float) -> dict[str, ShowUsage]:
    return {row[0]: _usage(row[1:]) for row in conn.all(_BY_SHOW, {"topics": dump(list(topics)), "now": now})}


def _usage(row: Sequence[Any]) -> ShowUsage:
    return ShowUsage(UsageSum(*row[:6]), *row[6:])
