"""Pages of sessions, dashboard cards, lookups, and the begin and end of a run at 1,000, 100,000 and 1,000,000 sessions.

Every combination of the filters status, kind, project, agent and playbook is measured three times: with the
most common values, with the rarest, and with values that never occur together. One filter, and status with one
more, have an index; other combinations walk the index of one of their filters. "In SQL" is the statement and its
rows as tuples; "whole" is list_sessions with its dictionaries.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import statistics
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from benches.build import cached
from benches.measure import median_ms, percentile, timed
from benches.populations import AGENTS, COMMON_TEXT, NO_TEXT, NOW, PLAYBOOKS, PROJECTS, RARE_TEXT, fill
from benches.stores import begin, clean_up, fresh_path
from benches.table import Goal, Options, Table, at_most, options
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.runs.dashboard import cards, status_counts
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sessions import find_session, finish_session
from lionstudio.state.sqlite.open import open_reader

_FILTERED = ("status", "kind", "project", "agent", "playbook")
_PICKS = {
    "common": ("completed", "agent", PROJECTS[0], AGENTS[0], PLAYBOOKS[0]),
    "rare": ("cancelled", "show-play", PROJECTS[-1], AGENTS[-1], PLAYBOOKS[-1]),
    "never together": ("running", "agent", PROJECTS[-2], AGENTS[-2], PLAYBOOKS[-2]),
}
_MORE = {
    "source": Filters(source="imported_codex"),
    "show": Filters(show="show-7"),
    "name": Filters(name="fix the login 7"),
    "since": Filters(since=NOW - 86400),
    "until": Filters(until=NOW - 90 * 86400),
    "project, since, until": Filters(project=PROJECTS[3], since=NOW - 60 * 86400, until=NOW - 30 * 86400),
    "source, status": Filters(source="imported_fs", status="failed"),
}
_TEXTS = {
    "text, common": Filters(text=COMMON_TEXT),
    "text, rare": Filters(text=RARE_TEXT),
    "text, no match": Filters(text=NO_TEXT),
    "text, two letters": Filters(text="fi"),
    "text, two letters, no match": Filters(text="qq"),
    "text, common, with project and status": Filters(text=COMMON_TEXT, project=PROJECTS[9], status="failed"),
    "text, rare, with project": Filters(text=RARE_TEXT, project=PROJECTS[0]),
}


_PAGE = 100


class Statements(NamedTuple):
    """Statements with their bound values, as a state function sent them."""

    statements: tuple[tuple[str, Any], ...]
    rows: int

    def replay(self, conn: Connection) -> None:
        """Run them again, without the product's Python around them."""
        for sql, params in self.statements:
            conn.raw.execute(sql, params).fetchall()


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("Lists of sessions", args)
        sizes = (1_000, 100_000) if args.quick else (1_000, 100_000, 1_000_000)
        conns = {size: open_reader(_store(size)) for size in sizes}
        _pages(table, args, conns)
        largest = conns[sizes[-1]]
        _depth(table, args, largest)
        _cards(table, args, largest)
        _lookups(table, args, largest)
        _lifecycle(table, args, sizes[-1])
        table.close()
    finally:
        clean_up()


def _store(size: int) -> str:
    return cached(f"sessions-{size}", lambda conn: fill(conn, size))


def recorded(conn: Connection, work: Callable[[Connection], object]) -> Statements:
    """Run a state function and record its statements."""
    sent: list[tuple[str, Any]] = []

    def execute(sql: str, params: Any = None) -> Any:
        sent.append((sql, params))
        return conn.raw.execute(sql, params)

    listening = Connection(conn.raw, conn.path)
    listening.execute = execute
    page = work(listening)
    return Statements(tuple(sent), len(getattr(page, "rows", ())))


def _filters(chosen: Iterable[tuple[str, str]]) -> Filters:
    values: dict[str, Any] = dict(chosen)
    return Filters(**values)


def _combinations() -> Iterator[tuple[str, str, Filters]]:
    for pick, values in _PICKS.items():
        for length in range(len(_FILTERED) + 1):
            for chosen in itertools.combinations(zip(_FILTERED, values, strict=True), length):
                what = ", ".join(name for name, _ in chosen) or "no filter"
                yield pick, what, _filters(chosen)
    for name, filters in _MORE.items():
        yield "others", name, filters
    for name, filters in _TEXTS.items():
        yield "text", name, filters


class Timing(NamedTuple):
    """One filter in one store: median ms in SQL and as a whole, the number of rows, and µs of each round in SQL.

    A page that is not full has the rounds of one without a filter, so that full pages are compared.
    """

    pick: str
    what: str
    sql_ms: float
    whole_ms: float
    rows: int
    rounds: list[float]

    @property
    def indexed(self) -> bool:
        """Whether an index covers all of its filters."""
        columns = self.what.split(", ")
        return self.pick not in _PICKS or len(columns) == 1 or (len(columns) == 2 and "status" in columns)


def _pages(table: Table, args: Options, conns: dict[int, Connection]) -> None:
    combinations = list(_combinations())
    random.shuffle(combinations)
    timings: dict[int, list[Timing]] = {size: [] for size in conns}
    for pick, what, filters in combinations:
        for size, timing in _time(conns, pick, what, filters, 5 if args.quick else 41).items():
            timings[size].append(timing)
    for size, of_size in timings.items():
        for pick in (*_PICKS, "others", "text"):
            of_pick = [timing for timing in of_size if timing.pick == pick]
            _summary(table, f"{size:,} sessions, {pick}", [one for one in of_pick if one.indexed], at_most(1))
            goal = at_most(10) if size <= 100_000 else None
            _summary(table, f"{size:,} sessions, {pick}, no index", [one for one in of_pick if not one.indexed], goal)
    _against_small(table, timings[min(timings)], timings[max(timings)], max(timings))


def _time(conns: dict[int, Connection], pick: str, what: str, filters: Filters, times: int) -> dict[int, Timing]:
    """The stores take turns, round by round: a machine that is slower for a second is so for all of them."""
    statements = {
        size: recorded(conn, lambda listening: list_sessions(listening, filters)) for size, conn in conns.items()
    }
    plain = {size: recorded(conn, list_sessions) for size, conn in conns.items()}
    slowest = max(timed(1, sent.replay, conns[size])[0] for size, sent in statements.items())
    if slowest > 50_000:
        times = 3  # its misery is clear
    sql: dict[int, list[float]] = {size: [] for size in conns}
    whole: dict[int, list[float]] = {size: [] for size in conns}
    full: dict[int, list[float]] = {size: [] for size in conns}
    for _ in range(times):
        for size in random.sample(list(conns), len(conns)):
            sql[size] += timed(1, statements[size].replay, conns[size])
            full[size] += (
                sql[size][-1:] if statements[size].rows == _PAGE else timed(1, plain[size].replay, conns[size])
            )
            whole[size] += timed(1, list_sessions, conns[size], filters)
    medians = {size: (statistics.median(sql[size]) / 1000, statistics.median(whole[size]) / 1000) for size in conns}
    return {size: Timing(pick, what, *medians[size], statements[size].rows, full[size]) for size in conns}


def _summary(table: Table, title: str, timings: list[Timing], goal: Goal | None) -> None:
    if not timings:
        return
    worst = max(timings, key=lambda timing: timing.sql_ms)
    limit = 1.0 if goal is None else goal.limit
    late = sorted((timing for timing in timings if timing.sql_ms > limit), key=lambda timing: -timing.sql_ms)
    many = f"; over {limit:g} ms: {len(late)} of {len(timings)}" if late else ""
    note = f"{worst.what} ({worst.rows} rows){many}"
    table.row(f"{title}: slowest page, in SQL", worst.sql_ms, "ms", goal, note)
    for timing in late[1:6]:
        table.say(f"      {timing.sql_ms:9.2f} ms  {timing.what} ({timing.rows} rows)")
    full = max((timing.sql_ms for timing in timings if timing.rows), default=0.0)
    table.row(f"{title}: slowest page with rows, in SQL", full, "ms")
    table.row(f"{title}: slowest page, whole", max(timing.whole_ms for timing in timings), "ms")


def _against_small(table: Table, small: list[Timing], large: list[Timing], size: int) -> None:
    before = {(timing.pick, timing.what): timing for timing in small}
    ratios = {
        f"{timing.what} ({timing.pick})": _ratio(timing, before[timing.pick, timing.what])
        for timing in large
        if timing.pick != "text" and timing.indexed
    }
    worst = max(ratios, key=lambda what: ratios[what])
    over = sum(ratio > 1.5 for ratio in ratios.values())
    table.row(f"page at {size:,} / at 1,000, median filter", statistics.median(ratios.values()), "×", at_most(1.5))
    note = f"{worst}; over 1.5 ×: {over} of {len(ratios)}"
    table.row(f"page at {size:,} / at 1,000, slowest filter", ratios[worst], "×", at_most(1.5), note)


def _ratio(large: Timing, small: Timing) -> float:
    return statistics.median(one / other for one, other in zip(large.rounds, small.rounds, strict=True))


_NTH = """
SELECT created_at, pk FROM sessions WHERE :project IS NULL OR project = :project
 ORDER BY created_at DESC, pk DESC LIMIT 1 OFFSET :n
"""
_HOW_MANY = "SELECT count(*) FROM sessions WHERE :project IS NULL OR project = :project"


def _depth(table: Table, args: Options, conn: Connection) -> None:
    for what, project in (("no filter", None), ("project", PROJECTS[0])):
        filters = Filters(project=project)
        pages = conn.value(_HOW_MANY, {"project": project}) // 100
        page = min(1000, pages - 1)
        at, pk = conn.one(_NTH, {"n": (page - 1) * 100, "project": project}) or (NOW, 0)
        far = partial(list_sessions, conn, filters, cursor=f"{at!r}~{pk}")
        ratios = [
            timed(1, far)[0] / timed(1, list_sessions, conn, filters)[0] for _ in range(20 if args.quick else 200)
        ]
        table.row(f"page {page:,} / page 1, {what}", statistics.median(ratios), "×", at_most(1.3))


def _cards(table: Table, args: Options, conn: Connection) -> None:
    times = 10 if args.quick else 50
    sent = recorded(conn, lambda listening: cards(listening, NOW))
    for (name, count), statement in zip(cards(conn, NOW).items(), sent.statements, strict=True):
        note = f"shows {count:,}"
        table.row(f"card {name}", median_ms(times, Statements((statement,), 0).replay, conn), "ms", at_most(2), note)
    table.row("all cards together", median_ms(times, cards, conn, NOW), "ms")
    table.row("status counts", median_ms(times, status_counts, conn), "ms", at_most(2))


_SOME = "SELECT id, name FROM sessions WHERE pk % 4999 = 17 LIMIT 50"


def _lookups(table: Table, args: Options, conn: Connection) -> None:
    some = conn.all(_SOME)
    ways: dict[str, Callable[[str, str], object]] = {
        "find by id": lambda id_, name: find_session(conn, id_),
        "resolve a whole id": lambda id_, name: resolve_session(conn, id_),
        "resolve the start of an id": lambda id_, name: resolve_session(conn, id_[:20]),
        "resolve a name": lambda id_, name: resolve_session(conn, name),
    }
    for what, way in ways.items():
        each = [timed(1, way, *row)[0] for row in some]
        table.row(what, percentile(each, 50) / 1000, "ms", at_most(1), f"p99 {percentile(each, 99) / 1000:.2f} ms")


_RUNS = 400


def _lifecycle(table: Table, args: Options, size: int) -> None:
    """Begin and end runs in a copy of the largest store."""
    path = fresh_path("lifecycle")
    shutil.copy(_store(size), path)
    kilobytes = os.path.getsize(path) / size / 1000
    large = size == 1_000_000
    disk_goal = at_most(1.5) if large else None
    table.row(f"disk for a session and its branch, {size:,} sessions", kilobytes, "kB", disk_goal)
    runs = 100 if args.quick else _RUNS
    with Database(path) as database:
        sessions = [begin(database)[0] for _ in range(50)]  # warms the caches
        begins = timed(runs, lambda: sessions.append(begin(database)[0]))
        waiting = iter(sessions)
        ends = timed(
            runs, lambda: database.write(lambda conn: finish_session(conn, next(waiting), "completed", exit_code=0))
        )
    for what, limit, times in (("begin", 750, begins), ("end", 200, ends)):
        goal = at_most(limit) if large else None
        table.row(f"{what} a run, {size:,} sessions", statistics.median(times), "µs", goal)


if __name__ == "__main__":
    main()
