"""`li state show --full` of a long session, beside `cat` of the same bytes; and its memory as the session grows."""

from __future__ import annotations

import os
from pathlib import Path

from benches.build import cached
from benches.corpus import fill, numbered
from benches.process_cost import Cost, cost_of
from benches.stores import clean_up, fresh_folder
from benches.table import Table, at_most, options
from lionstudio.system.li_process import li_argv

_GROWTH = 4


def main() -> None:
    args = options(__doc__)
    long = 40_000 if args.quick else 200_000
    try:
        table = Table(f"A session of {long:,} messages, printed", args)
        rounds = 1 if args.quick else 3
        text = fresh_folder("text") / "long.txt"
        ours = min(_show(long, text) for _ in range(rounds))
        cat = min(cost_of(["cat", str(text)], output=f"{text}.copy") for _ in range(rounds))
        short = min(_show(long // _GROWTH, text) for _ in range(rounds))
        table.row("show --full", ours.wall, "s", note=f"CPU {ours.cpu:.2f} s, {ours.largest_mb:.0f} MB")
        table.row("cat", cat.wall, "s")
        table.row("show --full / cat", ours.wall / cat.wall, "×", at_most(3))
        note = f"{ours.largest_mb:.0f} and {short.largest_mb:.0f} MB"
        growth = ours.largest_mb / short.largest_mb
        table.row(f"show --full, memory at {_GROWTH} × the messages", growth, "×", at_most(1.2), note)
        table.close()
    finally:
        clean_up()


def _show(count: int, text: Path) -> Cost:
    store = cached(f"one-session-{count}", lambda conn: fill(conn, count, count))
    words = (
        "state",
        "show",
        numbered(0),
        "--full",
        "--limit",
        str(count),
        "--db",
        store,
        "--home",
        str(fresh_folder("home")),
    )
    return cost_of(li_argv(*words), {**os.environ, "NO_COLOR": "1"}, output=str(text))


if __name__ == "__main__":
    main()
