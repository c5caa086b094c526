"""Sums over the usage ledger, by time and by what was used; the conditions are chosen from the literals below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.model.json_codec import dump, visible
from lionstudio.model.reports.calendar import BLOCK, DAY, HOUR, Zone, stretches, week_of
from lionstudio.model.run_name import NAME_COLUMNS, run_name
from lionstudio.model.usage import UsageSum
from lionstudio.state.connection import Connection
from lionstudio.state.usage.ledger import LEDGER_SUMS, QUARTER

TIMES = ("hour", "day", "week", "block")
NAMES = ("model", "project", "agent", "show", "run")
_SIZES = {"hour": HOUR, "day": DAY, "week": DAY}


class UsageScope(NamedTuple):
    """The part of the ledger that counts; None means any."""

    since: float | None = None
    until: float | None = None
    model: str | None = None
    project: str | None = None
    agent: str | None = None
    show: str | None = None
    source: str | None = None
    run: str | None = None


class UsageLine(NamedTuple):
    """A sum: `bucket` is the number of an hour, day or week, or the time of a block; `name` a model, project, …."""

    bucket: int
    name: str
    usage: UsageSum
    runs: int
    first_at: float
    last_at: float


# a subquery, because a join with the wide rows of sessions takes four times as long
_MODEL = """CASE l.model WHEN '' THEN (SELECT coalesce(model, '') FROM sessions WHERE pk = l.session_pk)
            ELSE l.model END"""
_NAMES: Mapping[str | None, str] = {
    None: "''",
    "model": _MODEL,
    "project": "coalesce(s.project, '')",
    "agent": "coalesce(s.agent_name, '')",
    "show": "coalesce(s.show_topic, '')",
    "run": "s.id",
}
_CONDITIONS = {
    "model": f"{_MODEL} = :model",
    "project": "coalesce(s.project, '') = :project",
    "agent": "coalesce(s.agent_name, '') = :agent",
    "show": "coalesce(s.show_topic, '') = :show",
    "source": "s.source_kind = :source",
    "run": "s.id = :run",
}
_SUMS = f"""{LEDGER_SUMS}, count(DISTINCT l.session_pk), min(l.first_at), max(l.last_at)"""
_JOIN = " JOIN sessions s ON s.pk = l.session_pk"
_RANGE = "SELECT (SELECT min(quarter) FROM usage_ledger), (SELECT max(quarter) FROM usage_ledger)"


def sum_usage(conn: Connection, scope: UsageScope, *, by: str | None, stack: str | None, zone: Zone) -> list[UsageLine]:
    """Sums by time (`TIMES`, or None for one sum) and name (`NAMES`, or None); the oldest first."""
    first, last = _quarters(conn, scope)
    if first is None:
        return []
    if by == "block":
        return _blocks(_grouped(conn, scope, first, last, "l.quarter", stack, {}))
    if by is None:
        return list(_grouped(conn, scope, first, last, "0", stack, {}))
    lines: dict[tuple[int, str], UsageLine] = {}
    for start, end, offset in stretches(first * QUARTER, last * QUARTER, zone):
        bucket = f"(l.quarter * {QUARTER} + :offset) / :size"
        shift = {"offset": offset, "size": _SIZES[by]}
        for line in _grouped(conn, scope, int(start // QUARTER), int(end // QUARTER), bucket, stack, shift):
            number = week_of(line.bucket) if by == "week" else line.bucket
            known = lines.get((number, line.name))
            lines[number, line.name] = line._replace(bucket=number) if known is None else _joined(known, line)
    return sorted(lines.values())


def _quarters(conn: Connection, scope: UsageScope) -> tuple[int | None, int]:
    """The first quarter of an hour of a scope and the one after its last, as far as there are any."""
    first, last = conn.one(_RANGE) or (None, None)
    if first is None:
        return None, 0
    since, until = scope.since, scope.until
    first = first if since is None else max(first, int(since // QUARTER))
    last = last + 1 if until is None else min(last + 1, int(-(-until // QUARTER)))
    return (first, last) if first < last else (None, 0)


def _values(scope: UsageScope) -> dict[str, str]:
    return {name: visible(value) for name in _CONDITIONS if (value := getattr(scope, name)) is not None}


def _grouped(
    conn: Connection, scope: UsageScope, first: int, last: int, bucket: str, stack: str | None, more: Mapping[str, Any]
) -> Iterator[UsageLine]:
    values = _values(scope)
    conditions = "".join(f" AND {_CONDITIONS[name]}" for name in values)
    join = _JOIN if any(name != "model" for name in (*values, stack or "model")) else ""
    sql = f"""
SELECT {bucket}, {_NAMES[stack]}, {_SUMS} FROM usage_ledger l{join}
 WHERE l.quarter >= :first AND l.quarter < :last{conditions} GROUP BY 1, 2 ORDER BY 1, 2"""  # noqa: S608  (literals)
    for row in conn.each(sql, {**values, **more, "first": first, "last": last}):
        yield UsageLine(row[0], row[1], UsageSum(*row[2:8]), *row[8:])


def _joined(one: UsageLine, other: UsageLine) -> UsageLine:
    """The sum of two lines of one bucket; a run that both have counts twice only at the edge of two stretches."""
    return one._replace(
        usage=one.usage.plus(other.usage),
        runs=one.runs + other.runs,
        first_at=min(one.first_at, other.first_at),
        last_at=max(one.last_at, other.last_at),
    )


def _blocks(lines: Iterator[UsageLine]) -> list[UsageLine]:
    """Blocks of five hours: one begins with the hour of the first use after the end of the last, or after a pause."""
    blocks: dict[tuple[int, str], UsageLine] = {}
    start, last_at = None, 0.0
    for line in lines:
        if start is None or line.first_at >= start + BLOCK or line.first_at - last_at > BLOCK:
            start = int(line.first_at // HOUR) * HOUR
        last_at = max(last_at, line.last_at)
        known = blocks.get((start, line.name))
        blocks[start, line.name] = line._replace(bucket=start) if known is None else _joined(known, line)
    return sorted(blocks.values())


# ── Time ─────────────────────────────────────────────────────────────────

_TIME = """
SELECT (CAST(s.created_at AS INTEGER) + :offset) / :size, {name},
       sum(max(coalesce(s.ended_at, :now) - coalesce(s.started_at, s.created_at), 0)), count(*)
  FROM sessions s INDEXED BY idx_sessions_created
 WHERE s.created_at >= :since AND s.created_at < :until{conditions} GROUP BY 1, 2
"""
_WAITING = """
SELECT (CAST(q.created_at AS INTEGER) + :offset) / :size, {name},
       sum(max(coalesce(q.answered_at, :now) - q.created_at, 0)), count(DISTINCT s.pk)
  FROM questions q INDEXED BY questions_by_time JOIN sessions s ON s.id = q.session_id
 WHERE q.created_at >= :since AND q.created_at < :until AND (q.is_open OR q.answered_at IS NOT NULL){conditions}
 GROUP BY 1, 2
"""


class TimeLine(NamedTuple):
    bucket: int
    name: str
    seconds: float
    runs: int


def sum_time(
    conn: Connection, scope: UsageScope, *, by: str, stack: str | None, zone: Zone, now: float, waiting: bool
) -> list[TimeLine]:
    """The duration of runs by the time they were created, or how long questions waited for a person."""
    names = {**_NAMES, "model": "coalesce(s.model, '')"}
    conditions = {**_CONDITIONS, "model": "coalesce(s.model, '') = :model"}
    values = _values(scope)
    sql = (_WAITING if waiting else _TIME).format(
        name=names[stack], conditions="".join(f" AND {conditions[name]}" for name in values)
    )
    lines: dict[tuple[int, str], TimeLine] = {}
    for start, end, offset in stretches(scope.since or 0, now if scope.until is None else scope.until, zone):
        span = {"since": start, "until": end, "offset": offset, "size": _SIZES[by], "now": now}
        for bucket, name, seconds, runs in conn.all(sql, values | span):
            number = week_of(bucket) if by == "week" else bucket
            known = lines.get((number, name), TimeLine(number, name, 0, 0))
            lines[number, name] = known._replace(seconds=known.seconds + seconds, runs=known.runs + runs)
    return sorted(lines.values())


# ── Runs ─────────────────────────────────────────────────────────────────

_TOP = """
SELECT {sums}, {columns} FROM usage_ledger l JOIN sessions s ON s.pk = l.session_pk
 WHERE l.quarter >= :first AND l.quarter < :last{conditions}
 GROUP BY s.pk ORDER BY total(l.cost_microusd) DESC, total(l.input_tokens + l.output_tokens) DESC LIMIT :limit
"""
_TOP_COLUMNS = (*NAME_COLUMNS, "project", "status")


def top_runs(conn: Connection, scope: UsageScope, limit: int) -> list[tuple[dict[str, Any], UsageSum]]:
    """The most expensive runs of a scope, with the columns that name them."""
    first, last = _quarters(conn, scope)
    if first is None:
        return []
    values = _values(scope)
    sql = _TOP.format(
        sums=LEDGER_SUMS,
        columns=", ".join(f"s.{column}" for column in _TOP_COLUMNS),
        conditions="".join(f" AND {_CONDITIONS[name]}" for name in values),
    )
    rows = conn.all(sql, {**values, "first": first, "last": last, "limit": limit})
    return [(dict(zip(_TOP_COLUMNS, row[6:], strict=True)), UsageSum(*row[:6])) for row in rows]


_RUN_NAMES = f"""
SELECT {", ".join(f"s.{column}" for column in NAME_COLUMNS)} FROM json_each(:ids) j JOIN sessions s ON s.id = j.value
"""  # noqa: S608  (ours)


def find_run_names(conn: Connection, ids: Sequence[str]) -> dict[str, str]:
    """The display names of runs, by id."""
    return {row["id"]: run_name(row) for row in conn.dicts(_RUN_NAMES, {"ids": dump(list(ids))})}
