"""The usage ledger: each session's tokens and cost by model and quarter of an hour.

Days, weeks and billing blocks of every time zone are sums of quarters, so no report reads messages. The rows of a
session always add up to its columns: a function that changes those calls one of this module in the same transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from lionstudio.model.coerce import to_token_count
from lionstudio.model.json_codec import visible
from lionstudio.model.messages import Message
from lionstudio.model.usage import NOTHING, Usage
from lionstudio.state.connection import Connection

QUARTER = 900  # seconds
_MIN_TIME, _MAX_TIME = -6e10, 1e11  # the years 68 and 5138: a calendar has all days between them
_MAX_MODEL = 200
_SUMS = (*Usage._fields, "unpriced")
# total() as sum() fails where numbers that another tool stored are too large
LEDGER_SUMS = ", ".join(f"CAST(total(l.{name}) AS INTEGER)" for name in (*Usage._fields, "unpriced_tokens"))


class SpentPart(NamedTuple):
    """A usage at a time; without a model it is that of the session."""

    at: float
    model: str | None
    usage: Usage


def spent_by(message: Message) -> SpentPart:
    return SpentPart(message.created_at, message.metadata.get("model"), message.usage)


_ADD = """
INSERT INTO usage_ledger (quarter, session_pk, model, input_tokens, output_tokens, cache_read_tokens,
                          cache_write_tokens, cost_microusd, unpriced_tokens, first_at, last_at)
VALUES (:quarter, :session, :model, :input_tokens, :output_tokens, :cache_read_tokens, :cache_write_tokens,
        :cost_microusd, :unpriced, :first, :last)
ON CONFLICT (quarter, session_pk, model) DO UPDATE SET
  input_tokens = usage_ledger.input_tokens + excluded.input_tokens,
  output_tokens = usage_ledger.output_tokens + excluded.output_tokens,
  cache_read_tokens = usage_ledger.cache_read_tokens + excluded.cache_read_tokens,
  cache_write_tokens = usage_ledger.cache_write_tokens + excluded.cache_write_tokens,
  cost_microusd = usage_ledger.cost_microusd + excluded.cost_microusd,
  unpriced_tokens = usage_ledger.unpriced_tokens + excluded.unpriced_tokens,
  first_at = min(usage_ledger.first_at, excluded.first_at), last_at = max(usage_ledger.last_at, excluded.last_at)
"""


def add_spent(conn: Connection, session_pk: int, spent: SpentPart) -> None:
    if spent.usage != NOTHING:
        conn.execute(_ADD, _row(session_pk, spent))


def add_all_spent(conn: Connection, session_pk: int, spent: Iterable[SpentPart]) -> None:
    rows: dict[tuple[int, str], dict[str, Any]] = {}
    for one in spent:
        row = _row(session_pk, one)
        same = rows.setdefault((row["quarter"], row["model"]), row)
        if same is not row:
            same |= {name: same[name] + row[name] for name in _SUMS}
            same |= {"first": min(same["first"], row["first"]), "last": max(same["last"], row["last"])}
    for row in rows.values():
        if any(row[name] for name in _SUMS):
            conn.execute(_ADD, row)


def _row(session_pk: int, spent: SpentPart) -> dict[str, Any]:
    usage, at = spent.usage, min(max(float(spent.at), _MIN_TIME), _MAX_TIME)
    model = visible(spent.model)[:_MAX_MODEL] if isinstance(spent.model, str) else ""
    return usage._asdict() | {
        "quarter": int(at // QUARTER),
        "session": session_pk,
        "model": model,
        "cost_microusd": usage.cost_microusd or 0,
        "unpriced": usage.tokens if usage.cost_microusd is None else 0,
        "first": at,
        "last": at,
    }


_DELETE = "DELETE FROM usage_ledger WHERE session_pk = (SELECT pk FROM sessions WHERE id = :id)"
# A message that several sessions share was counted by the oldest of them.
_FROM_MESSAGES = """
SELECT s.pk, m.created_at, m.node_metadata ->> '$.model', m.node_metadata ->> '$.usage.input_tokens',
       m.node_metadata ->> '$.usage.output_tokens', m.node_metadata ->> '$.usage.cache_read_tokens',
       m.node_metadata ->> '$.usage.cache_write_tokens', m.node_metadata ->> '$.usage.cost_microusd'
  FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
  JOIN progression_items i ON i.prog = h.pk JOIN messages m ON m.id = i.message_id
 WHERE s.id = :id AND m.node_metadata LIKE '%"usage"%' AND json_valid(m.node_metadata)
   AND NOT EXISTS (SELECT 1 FROM progression_items other JOIN progression_heads oh ON oh.pk = other.prog
                     JOIN sessions o ON o.progression_id = oh.id WHERE other.message_id = m.id AND o.pk < s.pk)
"""


def rebuild_ledger(conn: Connection, session_id: str) -> None:
    """Write the rows of a session anew from its messages, after they or their usage were replaced."""
    delete_ledger(conn, session_id)
    for pk, at, model, *counts in conn.each(_FROM_MESSAGES, {"id": session_id}):
        cost = to_token_count(counts[4]) if counts[4] is not None else None
        add_spent(conn, pk, SpentPart(at, model, Usage(*map(to_token_count, counts[:4]))._replace(cost_microusd=cost)))
    settle_ledger(conn, session_id)


def delete_ledger(conn: Connection, session_id: str) -> None:
    conn.execute(_DELETE, {"id": session_id})


_DIFFERENCE = f"""
SELECT s.pk, coalesce(s.last_message_at, s.ended_at, s.created_at), s.input_tokens, s.output_tokens,
       s.cache_read_tokens, s.cache_write_tokens, coalesce(s.cost_microusd, 0), {LEDGER_SUMS}
  FROM sessions s LEFT JOIN usage_ledger l ON l.session_pk = s.pk WHERE s.id = :id GROUP BY s.pk
"""  # noqa: S608  (ours)


def settle_ledger(conn: Connection, session_id: str, spent: Sequence[SpentPart] = ()) -> None:
    """Let the rows of a session add up to its columns, where its tool reports sums.

    What is missing is spread over `spent`, the newest first, because what is older was counted before. The rest
    counts at the last message.
    """
    row = conn.one(_DIFFERENCE, {"id": session_id})
    if row is None:
        return
    pk, last_at, total, counted = row[0], row[1], row[2:7], row[7:12]
    missing = [all_ - part for all_, part in zip(total, counted, strict=True)]
    if min(missing) < 0:  # the columns were corrected downwards
        delete_ledger(conn, session_id)
        missing = list(total)
    added = []
    for one in reversed(spent):
        taken = [min(part, rest) for part, rest in zip(_numbers(one.usage), missing, strict=True)]
        missing = [rest - part for part, rest in zip(taken, missing, strict=True)]
        cost = taken[4] if one.usage.cost_microusd is not None else None
        if any(taken):
            added.append(one._replace(usage=Usage(*taken[:4])._replace(cost_microusd=cost)))
    if any(missing):
        added.append(SpentPart(last_at, None, Usage(*missing[:4])._replace(cost_microusd=missing[4] or None)))
    add_all_spent(conn, pk, added)


def _numbers(usage: Usage) -> tuple[int, ...]:
    return (*usage[:4], usage.cost_microusd or 0)
