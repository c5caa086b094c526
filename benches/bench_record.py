"""What a program pays for `record()`: redaction included, against a bare loop that writes the same rows.

`with record()` one after the other, `async with record()` by 1, 8 and 64 producers with a run each, and the
inner functions `Database.write` and `Database.submit` with ready messages, in the same rounds.
"""

from __future__ import annotations

import asyncio
import random
import time

from benches.contestants import Bare, Synchronous, grouped, loop
from benches.measure import Contest, Play, cpu_us, p50, rate
from benches.stores import clean_up, fresh_path, prose
from benches.table import Options, Table, at_least, at_most, options
from lionstudio import record
from lionstudio.runs.api import AsyncRun, Run

_SHORT = 256  # messages of one contestant in one round
_LONG = 2048
_SETTLE = 0.02  # seconds, for a running checkpoint
_clock = time.perf_counter_ns


def _texts(seed: int, count: int) -> list[str]:
    dice = random.Random(seed)
    texts = [prose(450, dice) for _ in range(64)]
    return [dice.choice(texts) for _ in range(count)]


class Recorded:
    """`run.assistant(text)`, one after the other."""

    def __init__(self, count: int) -> None:
        self._run: Run = record("bench", project="bench", path=fresh_path("record")).__enter__()
        self._texts = _texts(4, count)

    def __call__(self) -> list[float]:
        say, each = self._run.assistant, []
        for text in self._texts:
            start = _clock()
            say(text)
            each.append((_clock() - start) / 1000)
        return each


class RecordedAsync:
    """`await run.assistant(text)` by several producers on one event loop."""

    def __init__(self, count: int, producers: int) -> None:
        self._path = fresh_path("record-async")
        self._runs = loop().run_until_complete(self._open(producers))
        self._texts = _texts(5, count // producers)

    async def _open(self, producers: int) -> list[AsyncRun]:
        return [await record(f"bench {n}", project="bench", path=self._path).__aenter__() for n in range(producers)]

    def __call__(self) -> list[float]:
        return loop().run_until_complete(self._round())

    async def _round(self) -> list[float]:
        each: list[float] = []
        async with asyncio.TaskGroup() as group:
            for run in self._runs:
                group.create_task(self._produce(run, each))
        return each

    async def _produce(self, run: AsyncRun, each: list[float]) -> None:
        for text in self._texts:
            start = _clock()
            await run.assistant(text)
            each.append((_clock() - start) / 1000)


def _contest(contestants: dict[str, Play], args: Options) -> Contest:
    contest = Contest(contestants)
    contest.run(6 if args.quick else 60, settle=_SETTLE)
    return contest


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("Recording with record()", args)
        one: dict[str, Play] = {
            "bare loop": Bare(_SHORT),
            "write": Synchronous(_SHORT, long_lived=True),
            "submit": grouped(_SHORT, 1),
            "record()": Recorded(_SHORT),
            "async record()": RecordedAsync(_SHORT, 1),
        }
        contest = _contest(one, args)
        goals = {"record()": at_most(1.3), "async record()": at_most(1.6)}
        for name in list(one)[1:]:
            table.row(f"{name}, p50 / bare", contest.ratio(name, p50), "×", goals.get(name))
            table.row(f"{name}, CPU / bare", contest.ratio(name, cpu_us), "×")
        several = {number: RecordedAsync(_LONG, number) for number in (1, 8, 64)}
        contest = _contest(
            {"bare loop": Bare(_LONG)} | {f"× {n}": contestant for n, contestant in several.items()}, args
        )
        for number in several:
            goal = at_least(1.5) if number == 64 else None
            table.row(f"async record() × {number}, throughput / bare", contest.ratio(f"× {number}", rate), "×", goal)
            table.row(f"async record() × {number}, CPU / bare", contest.ratio(f"× {number}", cpu_us), "×")
            table.row(f"async record() × {number}, p99", contest.typical(f"× {number}", 99) / 1000, "ms", at_most(20))
        table.close()
    finally:
        clean_up()


if __name__ == "__main__":
    main()
