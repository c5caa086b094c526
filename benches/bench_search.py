"""Full-text search over a million messages of about 450 characters whose words follow Zipf's law.

First with a complete index, then with a tail of 500 unindexed messages, then with a long one, as after an import;
and the speed of indexing.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Mapping
from typing import Any

import apsw

from benches.build import cached, insert
from benches.corpus import MESSAGE_COLUMNS, Writer, fill, message_rows, numbered, word
from benches.measure import percentile, timed
from benches.populations import NOW, PROJECTS
from benches.stores import clean_up, fresh_path
from benches.table import Goal, Options, Table, at_most, options
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.rows import get_message
from lionstudio.state.sqlite.fulltext import count_unindexed, index_batch, search
from lionstudio.state.sqlite.open import open_reader, open_writer
from lionstudio.state.sqlite.search_ranges import Scope
from lionstudio.state.sqlite.search_runs import search_runs

_TAIL = 500
_PER_SESSION = 200
_PATIENCE = 1.0  # seconds; a search that takes longer misses its goal


def main() -> None:
    args = options(__doc__)
    count = 100_000 if args.quick else 1_000_000
    try:
        table = Table(f"Full-text search, {count:,} messages", args)
        path = fresh_path("search")  # a copy, because messages are added
        shutil.copyfile(cached(f"messages-{count}", lambda conn: build(conn, count)), path)
        _index_rate(table, args)
        _prepare(path, 0)
        _searches(table, args, path, "")
        _prepare(path, _TAIL)
        _searches(table, args, path, f", tail of {_TAIL}")
        _long_tail(table, args, path)
        table.close()
    finally:
        clean_up()


def build(conn: Connection, count: int) -> None:
    fill(conn, count, _PER_SESSION)
    started = time.monotonic()
    _index_all(conn)
    print(f"  (indexed at {count / (time.monotonic() - started):,.0f} messages/s)", flush=True)


def _index_all(conn: Connection) -> int:
    """Index in the batches and transactions of the product; returns the number of messages."""
    total = 0
    while True:
        with conn.transaction():
            done = index_batch(conn)
        if not done:
            return total
        total += done


def _prepare(path: str, tail: int) -> None:
    """Complete the index, then add unindexed messages."""
    conn = open_writer(path)
    _index_all(conn)
    first = conn.value("SELECT max(pk) + 1 FROM messages")
    insert(conn, "messages", MESSAGE_COLUMNS, message_rows(first, tail, 20, Writer(random.Random(first))))
    assert count_unindexed(conn) == tail
    conn.close()


def _index_rate(table: Table, args: Options) -> None:
    count = 10_000 if args.quick else 50_000
    with Database(fresh_path("index")) as database:
        insert(database.conn, "messages", MESSAGE_COLUMNS, message_rows(1, count, 20, Writer(random.Random(1))))
        each: list[float] = []
        while True:
            started = time.perf_counter()
            if not database.write(index_batch):
                break
            each.append(time.perf_counter() - started)
    table.row("index build", count / sum(each), "/s")
    table.row("index build, one batch holds the lock (p99)", percentile(each, 99) * 1000, "ms")


def _queries(conn: Connection) -> Mapping[str, tuple[str, Mapping[str, Any], Goal | None]]:
    """A query with its filters and goal."""
    some = get_message(conn, conn.value("SELECT id FROM messages WHERE pk = 54321")).text.split()
    common, middling, rare = word(3), word(300), word(40_000)
    return {
        "common word": (common, {}, at_most(20)),
        "word in one message of ten": (word(400), {}, at_most(20)),
        "rare word": (rare, {}, at_most(20)),
        "no such word": ("zzyzx", {}, at_most(20)),
        "beginning of some words": (f"{word(30_000)[:7]}*", {}, at_most(20)),
        "beginning of one word in twenty": ("qui*", {}, at_most(50)),
        "beginnings of two words": ("fo* ha*", {}, at_most(50)),
        "beginning of one word in twenty, by run": ("qui*", {"group": True}, at_most(50)),
        "phrase of two words": (f'"{some[10]} {some[11]}"', {}, at_most(20)),
        "phrase of two common words": (f'"{common} {word(5)}"', {}, at_most(20)),
        "two words, common and middling": (f"{common} {middling}", {}, at_most(20)),
        "two words, common and rare": (f"{common} {rare}", {}, at_most(20)),
        "two rare words": (f"{rare} {word(39_999)}", {}, at_most(20)),
        "common word, ranked": (common, {"ranked": True}, at_most(50)),
        "rare word, ranked": (rare, {"ranked": True}, at_most(50)),
        "common word, by run": (common, {"group": True}, at_most(20)),
        "common word, large project": (common, {"project": PROJECTS[0]}, at_most(20)),
        "common word, small project": (common, {"project": PROJECTS[-1]}, at_most(20)),
        "common word, project without sessions": (common, {"project": "nowhere"}, at_most(20)),
        "common word, one old session": (common, {"session_id": numbered(7)}, at_most(20)),
        "common word, last hour": (common, {"since": NOW + 10**9}, at_most(20)),
    }


def _searches(table: Table, args: Options, path: str, state: str) -> None:
    conn = open_reader(path)
    for what, (query, filters, goal) in _queries(conn).items():
        _search(table, conn, f"{what}{state}", query, filters, goal, 3 if args.quick else 15)
    conn.execute("BEGIN")  # like Studio; the command runs without a transaction
    _search(table, conn, f"common word{state}, inside a transaction", word(3), {}, at_most(20), 15)
    conn.close()


def _long_tail(table: Table, args: Options, path: str) -> None:
    tail = 2_000 if args.quick else 20_000
    _prepare(path, tail)
    conn = open_reader(path)
    for what, query in (("common word", word(3)), ("rare word", word(40_000)), ("no such word", "zzyzx")):
        _search(table, conn, f"{what}, tail of {tail:,}", query, {}, at_most(50), 3)
    conn.close()


def _search(
    table: Table, conn: Connection, what: str, query: str, filters: Mapping[str, Any], goal: Goal | None, times: int
) -> None:
    def look() -> int:
        if filters.get("group"):
            return len(search_runs(conn, query, Scope()).runs)
        return len(search(conn, query, **filters))

    give_up = time.monotonic() + _PATIENCE
    conn.raw.set_progress_handler(lambda: time.monotonic() > give_up, 10_000)
    try:
        each = timed(1, look)
    except apsw.InterruptError:
        table.row(what, _PATIENCE * 1000, "ms", goal, "timed out")
        return
    finally:
        conn.raw.set_progress_handler(None)
    if each[0] < 1e6:
        each = timed(times, look)
    note = f"p99 {percentile(each, 99) / 1000:.1f} ms, {look()} hits"
    table.row(what, percentile(each, 50) / 1000, "ms", goal, note)


if __name__ == "__main__":
    main()
