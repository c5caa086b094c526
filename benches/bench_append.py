"""The cost of one committed append, against a bare loop in the same library that writes the same rows.

Synchronous, asynchronous with 1, 8 and 64 producers, at message 100 and at message 100,000 of a session,
and, for the record, group commit by a writer thread instead of on the event loop. "× 64" is 64 producers.
"""

from __future__ import annotations

from collections.abc import Mapping

from benches.contestants import Bare, Synchronous, grouped, threaded
from benches.measure import Contest, Play, cpu_us, p50, rate
from benches.stores import clean_up
from benches.table import Goal, Options, Table, at_least, at_most, options

_SHORT = 256  # appends of one contestant in one round: about 20 ms
_LONG = 2048  # for throughput: long enough that a checkpoint does not distort it
_SETTLE = 0.02  # seconds, for a running checkpoint


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("Appending a message", args)
        _one_writer(table, args)
        _many_producers(table, args)
        _long_sessions(table, args)
        table.close()
    finally:
        clean_up()


def _contest(contestants: Mapping[str, Play], args: Options, share: float) -> Contest:
    contest = Contest(contestants)
    contest.run(share * (14 if args.quick else 150), settle=_SETTLE)
    return contest


def _costs(table: Table, contest: Contest) -> None:
    print()
    for name in contest.rounds:
        table.say(
            f"{name:<26} p50 {contest.typical(name, 50):7.0f} µs  p99 {contest.typical(name, 99):8.0f} µs"
            f"  CPU {contest.median(name, cpu_us):6.0f} µs  {contest.median(name, rate):9,.0f}/s"
            f"  worst {contest.pooled(name, 100) / 1000:6.1f} ms"
        )
    table.say(f"({len(contest.rounds[contest.bare])} rounds; the figures are medians over rounds)")
    print()


def _ratios(table: Table, contest: Contest, name: str, goal: Goal | None = None) -> None:
    table.row(f"{name}, p50 / bare", contest.ratio(name, p50), "×", goal)
    table.row(f"{name}, CPU / bare", contest.ratio(name, cpu_us), "×")


def _one_writer(table: Table, args: Options) -> None:
    contest = _contest(
        {
            "bare loop": Bare(_SHORT),
            "bare loop, one cursor": Bare(_SHORT, one_cursor=True),
            "write": Synchronous(_SHORT),
            "write, long-lived": Synchronous(_SHORT, long_lived=True),
            "submit × 1": grouped(_SHORT, 1),
            "writer thread × 1": threaded(_SHORT, 1),
        },
        args,
        0.35,
    )
    _costs(table, contest)
    _ratios(table, contest, "write", at_most(1.15))
    strict = contest.ratio("write", p50, "bare loop, one cursor")
    table.row("write, p50 / bare with one cursor", strict, "×", None, "for comparison")
    _ratios(table, contest, "write, long-lived")
    _ratios(table, contest, "submit × 1", at_most(1.6))
    _ratios(table, contest, "writer thread × 1")


def _many_producers(table: Table, args: Options) -> None:
    ours = {f"submit × {number}": grouped(_LONG, number) for number in (1, 8, 64)}
    others = {f"writer thread × {number}": threaded(_LONG, number) for number in (8, 64)}
    contest = _contest({"bare loop": Bare(_LONG), **ours, **others}, args, 0.4)
    _costs(table, contest)
    for name in [*ours, *others]:
        has_goal = name in ours and name != "submit × 1"
        table.row(f"{name}, throughput / bare", contest.ratio(name, rate), "×", at_least(1.5) if has_goal else None)
        note = f"of all rounds together {contest.pooled(name, 99) / 1000:.1f} ms"
        table.row(f"{name}, p99", contest.typical(name, 99) / 1000, "ms", at_most(20) if name in ours else None, note)
    for name, contestant in ours.items():
        table.row(f"{name}, largest WAL", contestant.largest_wal / 2**20, "MB", at_most(64))


def _long_sessions(table: Table, args: Options) -> None:
    contest = _contest(
        {
            "bare loop, message 100": Bare(_SHORT, filled=100),
            "bare loop, message 100,000": Bare(_SHORT, filled=100_000),
            "write, message 100": Synchronous(_SHORT, filled=100),
            "write, message 100,000": Synchronous(_SHORT, filled=100_000),
        },
        args,
        0.25,
    )
    _costs(table, contest)
    far, near = "write, message 100,000", "write, message 100"
    table.row("write, message 100,000 / message 100, p50", contest.ratio(far, p50, near), "×", at_most(1.2))
    table.row("write, message 100,000 / message 100, CPU", contest.ratio(far, cpu_us, near), "×")
    table.row("bare loop, message 100,000 / message 100, p50", contest.ratio("bare loop, message 100,000", p50), "×")


if __name__ == "__main__":
    main()
