"""A play, CPU of its whole tree: the director, its git, supervisors, recorders and gates; the scripted agent is free.

Shows of 10 and of 40 plays, eight at a time, each with everything it starts. What is left after the price of a show
itself is that of a play.
"""

from __future__ import annotations

import os

from benches.bench_shows import write_show
from benches.process_cost import Cost, cost_of
from benches.stores import clean_up, fresh_folder
from benches.table import Table, at_most, options
from lionstudio.system.li_process import li_argv


def main() -> None:
    args = options(__doc__)
    few, many = (4, 12) if args.quick else (10, 40)
    try:
        table = Table("A play over its whole tree", args)
        rounds = 1 if args.quick else 3
        small, large = (min((_show(plays) for _ in range(rounds)), key=lambda cost: cost.cpu) for plays in (few, many))
        table.row(f"show of {many} plays, by the clock", large.wall, "s", note=f"CPU {large.cpu:.1f} s")
        table.row("CPU of a play over its tree", large.cpu / many * 1000, "ms", at_most(300))
        each = (large.cpu - small.cpu) / (many - few) * 1000
        table.row("the same, without the price of a show", each, "ms")
        table.close()
    finally:
        clean_up()


def _show(plays: int) -> Cost:
    root = fresh_folder("show")
    write_show(root, plays)
    environ = {**os.environ, "LIONAGI_HOME": str(root / "home"), "LIONAGI_SHOWS": str(root / "shows")}
    return cost_of(li_argv("show", "run", "bench", "--foreground"), environ)


if __name__ == "__main__":
    main()
