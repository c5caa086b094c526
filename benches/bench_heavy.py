"""Every operation on the database of a heavy user: 21,500 sessions, 2.35 million messages of all sizes, several GB.

Takes ten minutes and more, so `make bench` leaves it out unless HEAVY=1. Prune and vacuum work on a copy.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import apsw

from benches.build import cached
from benches.corpus import word
from benches.heavy import fill
from benches.measure import median_ms
from benches.populations import NOW, PROJECTS, SPAN
from benches.stores import clean_up, fresh_path
from benches.table import Goal, Options, Table, at_most, options
from lionstudio.state.connection import Connection
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.runs.dashboard import cards
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sqlite.fulltext import index_batch, search
from lionstudio.state.sqlite.maintenance import backup, checkpoint, file_size, free_pages, stats, vacuum
from lionstudio.state.sqlite.open import open_reader, open_writer
from lionstudio.state.sqlite.search_ranges import Scope
from lionstudio.state.sqlite.search_runs import search_runs
from lionstudio.state.upkeep.doctor import examine
from lionstudio.state.upkeep.prune import plan_prune, prune

T = TypeVar("T")


def main() -> None:
    args = options(__doc__)
    share = 0.02 if args.quick else 1.0
    try:
        table = Table(f"A heavy user's database{', one fiftieth of it' if args.quick else ''}", args)
        path = cached(f"heavy-{share}", lambda conn: fill(conn, share))
        bench = _Bench(table, args, path)
        bench.index()
        bench.reads()
        bench.upkeep()
        table.close()
    finally:
        clean_up()


class _Bench:
    def __init__(self, table: Table, args: Options, path: str) -> None:
        self._table = table
        self._times = 5 if args.quick else 20
        self._path = path

    def once(self, what: str, work: Callable[[], T], goal: Goal | None = None, note: str = "") -> T:
        """Time one run of `work`."""
        started = time.perf_counter()
        result = work()
        self._table.row(what, time.perf_counter() - started, "s", goal, note)
        return result

    def often(self, what: str, work: Callable[[], Any], goal: Goal | None = None) -> None:
        """Time the median of several runs of `work`."""
        times = self._times if median_ms(1, work) < 1000 else 1
        self._table.row(what, median_ms(times, work), "ms", goal)

    def index(self) -> None:
        """Fill the search index."""
        conn = open_writer(self._path)
        size = file_size(self._path)
        waiting = conn.value("SELECT count(*) FROM messages WHERE pk > (SELECT indexed_pk FROM search_state)")
        if waiting:
            started = time.perf_counter()
            _index_all(conn)
            seconds = time.perf_counter() - started
            checkpoint(conn)
            self._table.row("index build", waiting / seconds, "/s", note=f"{seconds:.0f} s")
            self._table.row("search index", (file_size(self._path) - size) / 1e6, "MB")
        self._table.row("file", file_size(self._path) / 1e6, "MB")
        count = conn.value("SELECT count(*) FROM messages")
        self._table.row("messages", count, "")
        self._table.row("bytes per message", file_size(self._path) / count, "B")
        conn.close()

    def reads(self) -> None:
        """Frequent reads."""
        conn = open_reader(self._path)
        self.often("page of 100", lambda: list_sessions(conn))
        failed = Filters(status="failed", project=PROJECTS[2])
        self.often("page of 100, failed in one project", lambda: list_sessions(conn, failed))
        self.often("page of 100, text", lambda: list_sessions(conn, Filters(text="xylograph")))
        self.often("dashboard", lambda: cards(conn, NOW))
        longest = conn.value("SELECT id FROM sessions ORDER BY message_count DESC LIMIT 1")
        self.often("last 100 messages of the longest session", lambda: messages_after(conn, longest, 1000))
        self.often("search, common word", lambda: search(conn, word(3)), at_most(20))
        self.often("search, rare word", lambda: search(conn, word(40_000)), at_most(20))
        self.often("search, prefix", lambda: search(conn, "fo*"), at_most(50))
        self.often("search, two prefixes", lambda: search(conn, "fo* ha*"), at_most(50))
        self.often("search, prefix, by run", lambda: search_runs(conn, "fo*", Scope()), at_most(50))
        self.often("search, two words", lambda: search(conn, f"{word(50)} {word(2000)}"), at_most(20))
        self.often("search, phrase", lambda: search(conn, f'"{word(3)} {word(40)}"'), at_most(20))
        self.often("search, ranked", lambda: search(conn, word(30), ranked=True))
        self.often("search, in one project", lambda: search(conn, word(30), project=PROJECTS[1]))
        conn.close()

    def upkeep(self) -> None:
        """Occasional maintenance."""
        conn = open_reader(self._path)
        self.once("stats", lambda: stats(conn))
        self.once("stats with sizes", lambda: stats(conn, sizes=True))
        findings = self.once("doctor", lambda: list(examine(conn, now=NOW)))
        self._table.say(f"    the doctor found {len(findings)}: {sorted({finding.code for finding in findings})}")
        self.once("doctor, deep", lambda: list(examine(conn, now=NOW, deep=True)))
        conn.close()
        copy = fresh_path("heavy")
        self.once("backup", lambda: backup(self._path, copy))
        self._prune(copy)

    def _prune(self, path: str) -> None:
        conn = open_writer(path)
        before = NOW - 0.9 * SPAN
        self.once("prune, plan", lambda: plan_prune(conn, before=before))
        plan = self.once("prune, plan with orphans", lambda: plan_prune(conn, before=before, orphan_progressions=True))
        self._table.say(f"    {plan}")
        with _longest_transaction(conn) as seconds:
            done = self.once("prune of 10 %", lambda: prune(conn))
        self._table.row("prune, longest transaction", max(seconds) * 1000, "ms", at_most(100))
        self._table.say(f"    {done}")
        self.once("first search after the prune", lambda: search(conn, word(3)), at_most(1))
        freed = self.once("give pages back", lambda: free_pages(conn))
        self._table.say(f"    {freed / 1e6:,.0f} MB")
        self.once("vacuum", lambda: vacuum(conn))
        conn.close()


@contextmanager
def _longest_transaction(conn: Connection) -> Iterator[list[float]]:
    """The seconds from BEGIN to COMMIT of each transaction inside this block."""
    seconds: list[float] = []
    began = 0.0

    def note(event: dict[str, Any]) -> None:
        nonlocal began
        if event["sql"] == "BEGIN IMMEDIATE":
            began = time.perf_counter()
        elif event["sql"] == "COMMIT":
            seconds.append(time.perf_counter() - began)

    conn.raw.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)
    try:
        yield seconds
    finally:
        conn.raw.trace_v2(0)


def _index_all(conn: Connection) -> None:
    done = total = 0
    while True:
        with conn.transaction():
            done = index_batch(conn)
        total += done
        if total % 200_000 < done:
            print(f"    indexed {total:,} …", flush=True)
        if not done:
            return


if __name__ == "__main__":
    main()
