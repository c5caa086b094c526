"""Search by the beginning of words in a heavy user's database; its index is built first, where it is missing."""

from __future__ import annotations

import statistics

from benches.bench_heavy import _index_all
from benches.build import cached
from benches.heavy import fill
from benches.measure import timed
from benches.stores import clean_up
from benches.table import Table, at_most, options
from lionstudio.state.sqlite.fulltext import search
from lionstudio.state.sqlite.open import open_reader, open_writer

_QUERIES = ("fo*", "fo* ha*", "qui*", "lo* mu*")


def main() -> None:
    args = options(__doc__)
    share = 0.02 if args.quick else 1.0
    try:
        table = Table(f"Prefixes in a heavy user's database{', one fiftieth of it' if args.quick else ''}", args)
        path = cached(f"heavy-{share}", lambda conn: fill(conn, share))
        writer = open_writer(path)
        _index_all(writer)
        writer.close()
        conn = open_reader(path)
        for query in _QUERIES:
            first = timed(1, search, conn, query)[0]
            times = 3 if first > 1_000_000 else 20
            each = timed(times, search, conn, query)
            table.row(
                f"prefix search {query}",
                statistics.median(each) / 1000,
                "ms",
                at_most(50),
                f"first {first / 1000:.0f} ms",
            )
        conn.close()
        table.close()
    finally:
        clean_up()


if __name__ == "__main__":
    main()
