"""The price of `durability = power`: each commit waits for the disk. Alone, and with producers that share commits.

The baseline is the same work with `durability = process`. The ratio depends on the disk.
"""

from __future__ import annotations

from benches.contestants import Synchronous, grouped
from benches.measure import Contest, Play, p50, rate
from benches.stores import clean_up
from benches.table import Options, Table, options
from lionstudio.state.sqlite.open import set_durability

_PRODUCERS = (8, 64)


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("Durability", args)
        _alone(table, args)
        for producers in _PRODUCERS:
            _together(table, args, producers)
        table.close()
    finally:
        clean_up()


def _contest(args: Options, process: Play, power: Play) -> Contest:
    contest = Contest({"process": process, "power": power})
    contest.run(4 if args.quick else 30, settle=0.02)
    return contest


def _alone(table: Table, args: Options) -> None:
    count = 16 if args.quick else 64
    process = Synchronous(count)
    set_durability("power")  # of connections that are opened from now on
    contest = _contest(args, process, Synchronous(count))
    set_durability("process")
    table.row("one append, process, p50", contest.median("process", p50) / 1000, "ms")
    table.row("one append, power, p50", contest.median("power", p50) / 1000, "ms")
    table.row("one append, power / process, p50", contest.ratio("power", p50), "×")


def _together(table: Table, args: Options, producers: int) -> None:
    count = 512
    process = grouped(count, producers)
    set_durability("power")
    contest = _contest(args, process, grouped(count, producers))
    set_durability("process")
    ratio = contest.ratio("power", rate)
    note = f"{contest.median('power', rate):,.0f} and {contest.median('process', rate):,.0f} messages/s"
    table.row(f"{producers} producers, throughput, power / process", ratio, "×", note=note)


if __name__ == "__main__":
    main()
