"""`li usage`: sum tokens, money and runs by time, model, project, agent, show or run.

Tokens are those sent, received, read from and written to the cache, of every run with its sub-agents and of every play
of a show. The cost is that of the tokens with a known price; tokens without one are counted beside it. `docs/usage.md`
explains blocks, prices and time zones.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, point_in_time, utf8
from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.humanize import cost, tokens
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import is_terminal, say, styles_for, width_of
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.reports.calendar import BLOCK, Zone, day_name, zone_of
from lionstudio.model.usage import UsageSum
from lionstudio.state.usage.sums import NAMES, TIMES, UsageLine, UsageScope, find_run_names, sum_usage

DESCRIPTION = """\
Sum tokens, money and runs by day, model, project, … In a pipe, each sum is one line of tab-separated fields without a
header: the time and the name that --by asks for (a run has its id and its name), input, output, cache read, cache
write, total, cost in millionths of a dollar, tokens of unknown price, and runs. --csv has a header."""
EXAMPLES = (
    ("li usage", "tokens and cost of each day"),
    ("li usage --by model --since 7d", "the models of the last week"),
    ("li usage --by week,project", "each week, by project"),
    ("li usage --by run --limit 10", "the ten most expensive runs"),
    ("li usage --by block --source imported_claude", "the 5-hour billing blocks of Claude Code"),
    ("li usage --by day --timezone UTC --csv > usage.csv", "for a spreadsheet"),
)
_UNNAMED = "unknown"
_FIELDS = ("input", "output", "cache_read", "cache_write", "total", "cost_microusd", "unpriced_tokens")


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--by",
        type=utf8,
        default="day",
        metavar="WHAT",
        help=f"sum by {', '.join((*TIMES, *NAMES))}, or by a time and a name: day,model (default day)",
    )
    add("--since", type=point_in_time, metavar="T", help="only usage since T: 2h, 14d, today, yesterday, 2026-05-01")
    add("--until", type=point_in_time, metavar="T", help="only usage before T")
    for name in ("model", "project", "agent", "show"):
        add(f"--{name}", type=utf8, help=f"only usage of this {name}")
    add("--source", type=utf8, help="only runs from this source: live, imported_claude, imported_codex, …")
    add("--timezone", type=utf8, metavar="ZONE", help="time zone of days and weeks (default: that of this machine)")
    add("--limit", type=integer(1), metavar="N", help="the first N rows only; the total counts all")
    add("--csv", action="store_true", help="print comma-separated values")


def run(args: argparse.Namespace) -> int:
    time_unit, name = _grouping(args.by)
    scope = UsageScope(args.since, args.until, args.model, args.project, args.agent, args.show, args.source)
    lines, names, total = _read(args, scope, time_unit, name)
    rows = [_row(line, time_unit, name, names) for line in lines]
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"by": args.by, "timezone": args.timezone or "local", "rows": rows, "totals": _totals(total)})
    elif args.csv:
        _print_csv(rows)
    elif is_terminal():
        _print_table(args, rows, lines, total)
    else:
        emit_lines("\t".join("" if value is None else inline(str(value)) for value in row.values()) for row in rows)
    if not rows:
        say("No usage recorded in this range.", quiet=args.quiet)
    return 0


def _grouping(text: str) -> tuple[str | None, str | None]:
    """The unit of time and the name to sum by."""
    times = [part for part in text.split(",") if part in TIMES]
    names = [part for part in text.split(",") if part in NAMES]
    if len(times) + len(names) != len(text.split(",")) or len(times) > 1 or len(names) > 1:
        raise InvalidInput(f"--by cannot be {text!r:.60}", hint="li usage --by day,model")
    return next(iter(times), None), next(iter(names), None)


def _read(
    args: argparse.Namespace, scope: UsageScope, time_unit: str | None, name: str | None
) -> tuple[list[UsageLine], dict[str, str], UsageLine | None]:
    zone = zone_of(args.timezone)
    try:
        with db_access.reading(db_access.settings_of(args).db) as conn:
            lines = sum_usage(conn, scope, by=time_unit, stack=name, zone=zone)
            total = next(iter(sum_usage(conn, scope, by=None, stack=None, zone=zone)), None)
            if time_unit is None:
                lines.sort(key=lambda line: (-line.usage.cost_microusd, -line.usage.tokens, line.name))
            lines = lines[: args.limit]
            names = find_run_names(conn, [line.name for line in lines]) if name == "run" else {}
    except NotFound:
        return [], {}, None  # no database yet
    return lines, names, total


def _row(line: UsageLine, time_unit: str | None, name: str | None, names: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    if time_unit is not None:
        row[time_unit] = _moment(line.bucket, time_unit)
    if name is not None:
        row[name] = line.name or _UNNAMED
    if name == "run":
        row["name"] = names.get(line.name)
    return {**row, **line.usage.to_dict(), "runs": line.runs}


def _moment(bucket: int, time_unit: str) -> str:
    if time_unit in ("day", "week"):
        return day_name(bucket)
    if time_unit == "hour":
        return f"{day_name(bucket // 24)}T{bucket % 24:02}:00"
    from datetime import UTC, datetime

    return datetime.fromtimestamp(bucket, UTC).isoformat().replace("+00:00", "Z")


def _totals(total: UsageLine | None) -> dict[str, Any]:
    return {**(UsageSum() if total is None else total.usage).to_dict(), "runs": 0 if total is None else total.runs}


def _print_csv(rows: Sequence[dict[str, Any]]) -> None:
    from lionstudio.model.reports.csv_rows import to_csv

    emit(body(to_csv(rows)))


def _print_table(
    args: argparse.Namespace, rows: Sequence[dict[str, Any]], lines: Iterable[UsageLine], total: UsageLine | None
) -> None:
    names = [key for key in (rows[0] if rows else {}) if key not in (*_FIELDS, "runs")]
    zone = zone_of(args.timezone)
    table = [
        *(Column(name.upper(), narrowest=20 if name in NAMES or name == "name" else 0) for name in names),
        *(Column(title, right=True, rank=rank) for title, rank in _NUMBERS),
    ]
    cells = [
        [*(Cell(inline(_shown(row[name], name, zone))) for name in names), *_numbers(line.usage, line.runs)]
        for row, line in zip(rows, lines, strict=True)
    ]
    if total is not None and rows:
        titles = [Cell("total", "bold"), *(Cell("") for _ in names[1:])]
        cells.append([*titles, *_numbers(total.usage, total.runs)])
    emit("\n".join(render(table, cells, width_of(sys.stdout), styles_for(sys.stdout, refused=args.no_color))) + "\n")
    if total is not None and total.usage.unpriced_tokens:
        unpriced = tokens(total.usage.unpriced_tokens)
        say(f"\n{unpriced} tokens have an unknown price and are not in the cost.", quiet=args.quiet)


_NUMBERS = (("RUNS", 5), ("IN", 3), ("OUT", 3), ("CACHE READ", 4), ("CACHE WRITE", 4), ("TOTAL TOKENS", 0), ("COST", 0))


def _numbers(usage: UsageSum, runs: int) -> Iterator[Cell]:
    yield Cell(f"{runs:,}")
    for number in (*usage[:4], usage.tokens):
        yield Cell(tokens(number))
    known = usage.known_cost
    yield Cell("unknown" if known is None else cost(known) + ("+" if usage.unpriced_tokens else ""))


def _shown(value: object, name: str, zone: Zone) -> str:
    if name == "block":
        from datetime import UTC, datetime

        start = datetime.fromisoformat(str(value)).timestamp()
        first, last = (datetime.fromtimestamp(at + zone(at), UTC) for at in (start, start + BLOCK))
        return f"{first:%Y-%m-%d %H:%M} – {last:%H:%M}"
    return "" if value is None else str(value)
