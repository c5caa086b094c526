"""Pages of sessions, dashboard cards and lookups at 1,000, 100,000 and 1,000,000 sessions.

Every combination of the filters status, kind, project, agent and playbook is asked three times over: with the
most common values, with the rarest, and with values that never occur together. "In SQL" is the statement and its
rows as tuples; "whole" is list_sessions with its dictionaries.
"""

from __future__ import annotations

import itertools
import random
import statistics
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from benches.building import cached
from benches.measuring import median_ms, percentile, timed
from benches.populations import AGENTS, COMMON_TEXT, NO_TEXT, NOW, PLAYBOOKS, PROJECTS, RARE_TEXT, fill
from benches.stores import clean_up
from benches.table import Options, Table, at_most, options
from lionstudio.state.connection import Connection
from lionstudio.state.runs.dashboard import cards, status_counts
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sessions import find_session, resolve_session
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


class Asked(NamedTuple):
    """Statements with what is bound to them, as they were sent."""

    statements: tuple[tuple[str, Any], ...]
    rows: int

    def replay(self, conn: Connection) -> None:
        """Send them again, without the product's Python around them."""
        for sql, params in self.statements:
            conn.raw.execute(sql, params).fetchall()


def main() -> None:
    """Measure and print."""
    given = options(__doc__)
    try:
        table = Table("Lists of sessions", given)
        sizes = (1_000, 100_000) if given.quick else (1_000, 100_000, 1_000_000)
        conns = {size: open_reader(_store(size)) for size in sizes}
        _pages(table, given, conns)
        largest = conns[sizes[-1]]
        _depth(table, given, largest)
        _cards(table, given, largest)
        _lookups(table, given, largest)
        table.close()
    finally:
        clean_up()


def _store(size: int) -> str:
    return cached(f"sessions-{size}", lambda conn: fill(conn, size))


def asked(conn: Connection, work: Callable[[Connection], object]) -> Asked:
    """What a state function sends to the database."""
    sent: list[tuple[str, Any]] = []

    def execute(sql: str, params: Any = None) -> Any:
        sent.append((sql, params))
        return conn.raw.execute(sql, params)

    listening = Connection(conn.raw, conn.path)
    listening.execute = execute  # type: ignore[assignment]
    found = work(listening)
    return Asked(tuple(sent), len(getattr(found, "rows", ())))


def _filters(chosen: Iterable[tuple[str, str]]) -> Filters:
    given: dict[str, Any] = dict(chosen)
    return Filters(**given)


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
    """One filter in one store: median ms in SQL and as a whole, how many rows it gave, and µs of each round in SQL.

    A page that is not full has the rounds of one without a filter, so that full pages are compared.
    """

    pick: str
    what: str
    sql_ms: float
    whole_ms: float
    rows: int
    rounds: list[float]


def _pages(table: Table, given: Options, conns: dict[int, Connection]) -> None:
    wanted = list(_combinations())
    random.shuffle(wanted)
    found: dict[int, list[Timing]] = {size: [] for size in conns}
    for pick, what, filters in wanted:
        for size, timing in _time(conns, pick, what, filters, 5 if given.quick else 41).items():
            found[size].append(timing)
    for size, timings in found.items():
        _summary(table, size, timings)
    _against_small(table, found[min(found)], found[max(found)], max(found))


def _time(conns: dict[int, Connection], pick: str, what: str, filters: Filters, times: int) -> dict[int, Timing]:
    """The stores take turns, round by round: a machine that is slower for a second is so for all of them."""
    asks = {size: asked(conn, lambda listening: list_sessions(listening, filters)) for size, conn in conns.items()}
    plain = {size: asked(conn, list_sessions) for size, conn in conns.items()}
    slowest = max(timed(1, statements.replay, conns[size])[0] for size, statements in asks.items())
    if slowest > 50_000:
        times = 3  # its misery is clear
    sql: dict[int, list[float]] = {size: [] for size in conns}
    whole: dict[int, list[float]] = {size: [] for size in conns}
    full: dict[int, list[float]] = {size: [] for size in conns}
    for _ in range(times):
        for size in random.sample(list(conns), len(conns)):
            sql[size] += timed(1, asks[size].replay, conns[size])
            full[size] += sql[size][-1:] if asks[size].rows == _PAGE else timed(1, plain[size].replay, conns[size])
            whole[size] += timed(1, list_sessions, conns[size], filters)
    medians = {size: (statistics.median(sql[size]) / 1000, statistics.median(whole[size]) / 1000) for size in conns}
    return {size: Timing(pick, what, *medians[size], asks[size].rows, full[size]) for size in conns}


def _summary(table: Table, size: int, timings: list[Timing]) -> None:
    for pick in (*_PICKS, "others", "text"):
        mine = [timing for timing in timings if timing.pick == pick]
        worst = max(mine, key=lambda timing: timing.sql_ms)
        late = sorted((timing for timing in mine if timing.sql_ms > 1), key=lambda timing: -timing.sql_ms)
        many = f"; over 1 ms: {len(late)} of {len(mine)}" if late else ""
        note = f"{worst.what} ({worst.rows} rows){many}"
        table.row(f"{size:,} sessions, {pick}: slowest page, in SQL", worst.sql_ms, "ms", at_most(1), note)
        for timing in late[1:6]:
            table.say(f"      {timing.sql_ms:9.2f} ms  {timing.what} ({timing.rows} rows)")
        table.row(f"{size:,} sessions, {pick}: slowest page, whole", max(one.whole_ms for one in mine), "ms")


def _against_small(table: Table, small: list[Timing], large: list[Timing], size: int) -> None:
    before = {(timing.pick, timing.what): timing for timing in small}
    ratios = {
        f"{timing.what} ({timing.pick})": _ratio(timing, before[timing.pick, timing.what])
        for timing in large
        if timing.pick != "text"
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


def _depth(table: Table, given: Options, conn: Connection) -> None:
    for what, project in (("no filter", None), ("project", PROJECTS[0])):
        filters = Filters(project=project)
        pages = conn.value(_HOW_MANY, {"project": project}) // 100
        page = min(1000, pages - 1)
        at, pk = conn.one(_NTH, {"n": (page - 1) * 100, "project": project}) or (NOW, 0)
        far = partial(list_sessions, conn, filters, cursor=f"{at!r}~{pk}")
        ratios = [
            timed(1, far)[0] / timed(1, list_sessions, conn, filters)[0] for _ in range(20 if given.quick else 200)
        ]
        table.row(f"page {page:,} / page 1, {what}", statistics.median(ratios), "×", at_most(1.3))


def _cards(table: Table, given: Options, conn: Connection) -> None:
    times = 10 if given.quick else 50
    sent = asked(conn, lambda listening: cards(listening, NOW))
    for (name, count), statement in zip(cards(conn, NOW).items(), sent.statements, strict=True):
        note = f"shows {count:,}"
        table.row(f"card {name}", median_ms(times, Asked((statement,), 0).replay, conn), "ms", at_most(2), note)
    table.row("all cards together", median_ms(times, cards, conn, NOW), "ms")
    table.row("status counts", median_ms(times, status_counts, conn), "ms", at_most(2))


_SOME = "SELECT id, name FROM sessions WHERE pk % 4999 = 17 LIMIT 50"


def _lookups(table: Table, given: Options, conn: Connection) -> None:
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


if __name__ == "__main__":
    main()
