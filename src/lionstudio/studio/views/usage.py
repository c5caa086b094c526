"""Usage as the API returns it: sums of a range by time, stacked by name, with the largest parts named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.reports.calendar import BLOCK, DAY, HOUR, Zone, day_name, local_start, week_of
from lionstudio.model.run_name import run_name
from lionstudio.model.usage import UsageSum
from lionstudio.state.connection import Connection
from lionstudio.state.usage.sums import UsageScope, sum_time, sum_usage, top_runs

MAX_DAYS = 400
_MAX_PARTS = 10
_TOP = 10
_LONGEST = {"hour": 8 * DAY, "block": 100 * DAY}


class Amount(NamedTuple):
    """A sum of usage, or of seconds."""

    usage: UsageSum = UsageSum()
    seconds: float = 0.0
    runs: int = 0

    def plus(self, other: Amount) -> Amount:
        return Amount(self.usage.plus(other.usage), self.seconds + other.seconds, self.runs + other.runs)

    @property
    def size(self) -> tuple[float, ...]:
        return (self.seconds, self.usage.cost_microusd, self.usage.tokens)


def usage_report(
    conn: Connection,
    scope: UsageScope,
    *,
    by: str,
    stack: str | None,
    measure: str,
    zone: Zone,
    timezone: str,
    now: float,
) -> dict[str, Any]:
    """The report; `scope` has both ends of its range."""
    since, until = scope.since or 0.0, scope.until or now
    if not 0 < until - since <= _LONGEST.get(by, MAX_DAYS * DAY):
        days = _LONGEST.get(by, MAX_DAYS * DAY) // DAY
        raise InvalidInput(f"the range must end after it begins and have at most {days} days by {by}")
    is_usage = measure == "usage"
    cells: dict[tuple[int, str], Amount] = {}
    total = Amount()
    if is_usage:
        for line in sum_usage(conn, scope, by=by, stack=stack, zone=zone):
            cells[line.bucket, line.name] = Amount(line.usage, 0.0, line.runs)
        for line in sum_usage(conn, scope, by=None, stack=None, zone=zone):
            total = Amount(line.usage, 0.0, line.runs)
    else:
        unit = "hour" if by == "block" else by
        for part in sum_time(conn, scope, by=unit, stack=stack, zone=zone, now=now, waiting=measure == "waiting"):
            cells[part.bucket, part.name] = amount = Amount(UsageSum(), part.seconds, part.runs)
            total = total.plus(amount)
        by = unit
    shown = _Shown(is_usage)
    names = _largest(cells)
    return {
        "since": since,
        "until": until,
        "timezone": timezone,
        "by": by,
        "stack": stack,
        "measure": measure,
        "total": shown.part(None, total),
        "parts": shown.parts(_by_name(((name, amount) for (_, name), amount in cells.items()), names)),
        "buckets": _buckets(cells, names, shown, by, since, until, zone),
        "top_runs": [
            {"id": row["id"], "name": run_name(row), "project": row["project"], "usage": usage.to_dict()}
            for row, usage in (top_runs(conn, scope, _TOP) if is_usage else ())
        ],
    }


class _Shown(NamedTuple):
    is_usage: bool

    def amount(self, amount: Amount) -> dict[str, Any]:
        usage = amount.usage.to_dict() if self.is_usage else None
        return {"usage": usage, "seconds": None if self.is_usage else amount.seconds}

    def part(self, name: str | None, amount: Amount) -> dict[str, Any]:
        return {"name": name, **self.amount(amount), "runs": amount.runs}

    def parts(self, amounts: dict[str | None, Amount]) -> list[dict[str, Any]]:
        ordered = sorted(amounts.items(), key=lambda item: (item[0] is None, *(-size for size in item[1].size)))
        return [self.part(name, amount) for name, amount in ordered]


def _largest(cells: dict[tuple[int, str], Amount]) -> frozenset[str]:
    sums: defaultdict[str, Amount] = defaultdict(Amount)
    for (_, name), amount in cells.items():
        sums[name] = sums[name].plus(amount)
    return frozenset(sorted(sums, key=lambda name: sums[name].size, reverse=True)[:_MAX_PARTS])


def _by_name(amounts: Iterable[tuple[str, Amount]], names: frozenset[str]) -> dict[str | None, Amount]:
    """The sums of these names, and of all others as None."""
    sums: dict[str | None, Amount] = {}
    for name, amount in amounts:
        key = name if name in names else None
        sums[key] = sums.get(key, Amount()).plus(amount)
    return sums


def _buckets(
    cells: dict[tuple[int, str], Amount],
    names: frozenset[str],
    shown: _Shown,
    by: str,
    since: float,
    until: float,
    zone: Zone,
) -> list[dict[str, Any]]:
    by_bucket: defaultdict[int, list[tuple[str, Amount]]] = defaultdict(list)
    for (number, name), amount in cells.items():
        by_bucket[number].append((name, amount))
    buckets = []
    for number in sorted(by_bucket) if by == "block" else _numbers(by, since, until, zone):
        start, end, label = _span(number, by, zone)
        total = Amount()
        for _, amount in by_bucket.get(number, ()):
            total = total.plus(amount)
        parts = shown.parts(_by_name(by_bucket.get(number, ()), names))
        buckets.append({"at": start, "until": end, "label": label, **shown.amount(total), "parts": parts})
    return buckets


def _numbers(by: str, since: float, until: float, zone: Zone) -> Sequence[int]:
    """The hours, days or weeks of a range, the empty ones too."""
    size = HOUR if by == "hour" else DAY
    first, last = (int((at + zone(at)) // size) for at in (since, max(since, until - 1)))
    if by == "week":
        return range(week_of(first), week_of(last) + 1, 7)
    return range(first, last + 1)


def _span(number: int, by: str, zone: Zone) -> tuple[float, float, str]:
    if by == "block":
        return number, number + BLOCK, datetime.fromtimestamp(number, UTC).strftime("%Y-%m-%dT%H:%MZ")
    if by == "hour":
        return (
            local_start(number, HOUR, zone),
            local_start(number + 1, HOUR, zone),
            f"{day_name(number // 24)} {number % 24:02}:00",
        )
    days = 7 if by == "week" else 1
    return local_start(number, DAY, zone), local_start(number + days, DAY, zone), day_name(number)


def budget_of(conn: Connection, dollars: int, now: float, zone: Zone) -> dict[str, Any] | None:
    """The budget of a month and what was spent of it; None without one."""
    if not dollars:
        return None
    local = datetime.fromtimestamp(now, UTC) + timedelta(seconds=zone(now))
    first = (local.date().replace(day=1) - datetime(1970, 1, 1, tzinfo=UTC).date()).days
    spent = sum_usage(conn, UsageScope(since=local_start(first, DAY, zone)), by=None, stack=None, zone=zone)
    usage = spent[0].usage if spent else UsageSum()
    return {"month": local.strftime("%Y-%m"), "limit_microusd": dollars * 1_000_000, "spent": usage.to_dict()}
