"""Measure on a noisy machine: contestants take turns in random order, in short rounds, in one process.

A ratio is the median over rounds of the times of two contestants in the same round.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class Round(NamedTuple):
    """One round of a contestant: µs of each operation, and wall and CPU seconds of the round."""

    each_us: Sequence[float]
    wall: float
    cpu: float

    @property
    def p50(self) -> float:
        """Median of the operations, in µs."""
        return percentile(self.each_us, 50)

    @property
    def cpu_us(self) -> float:
        """CPU of the process for one operation, in µs."""
        return self.cpu * 1e6 / len(self.each_us)

    @property
    def rate(self) -> float:
        """Operations per second."""
        return len(self.each_us) / self.wall


Play = Callable[[], Sequence[float]]


def play(turn: Play) -> Round:
    """One round of a contestant, which returns the µs of each of its operations."""
    cpu, wall = time.process_time(), time.perf_counter()
    each = turn()
    return Round(each, time.perf_counter() - wall, time.process_time() - cpu)


class Contest:
    """The rounds of several contestants, each measured against the first."""

    def __init__(self, contestants: Mapping[str, Play]) -> None:
        self._contestants = dict(contestants)
        self.bare = next(iter(self._contestants))
        self.rounds: dict[str, list[Round]] = {name: [] for name in self._contestants}

    def run(self, seconds: float, *, warm_up: int = 2, settle: float = 0) -> None:
        """Run as many rounds as fit into the time, at least three; the first ones only warm up.

        `settle` is a pause before each turn, for threads of the previous one.
        """
        until = time.monotonic() + seconds
        names = list(self._contestants)
        number = 0
        while time.monotonic() < until or number < warm_up + 3:
            number += 1
            for name in random.sample(names, len(names)):
                time.sleep(settle)
                measured = play(self._contestants[name])
                if number > warm_up:
                    self.rounds[name].append(measured)

    def ratio(self, name: str, of: Callable[[Round], float], against: str | None = None) -> float:
        """Median over the rounds of a figure, divided by that of the baseline in the same round."""
        pairs = zip(self.rounds[name], self.rounds[against or self.bare], strict=True)
        return statistics.median(of(mine) / of(theirs) for mine, theirs in pairs)

    def median(self, name: str, of: Callable[[Round], float]) -> float:
        """Median over the rounds of a figure."""
        return statistics.median(of(measured) for measured in self.rounds[name])

    def pooled(self, name: str, percent: float) -> float:
        """A percentile of all operations of all rounds, in µs."""
        return percentile([us for measured in self.rounds[name] for us in measured.each_us], percent)

    def typical(self, name: str, percent: float) -> float:
        """Median over the rounds of a percentile within each, which ignores disturbed rounds."""
        return self.median(name, lambda measured: percentile(measured.each_us, percent))


def p50(measured: Round) -> float:
    return measured.p50


def cpu_us(measured: Round) -> float:
    return measured.cpu_us


def rate(measured: Round) -> float:
    return measured.rate


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that this percentage of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def timed(times: int, work: Callable[..., object], *args: object) -> list[float]:
    """Run `work` this many times; returns the µs of each."""
    clock = time.perf_counter_ns
    each: list[float] = []
    for _ in range(times):
        start = clock()
        work(*args)
        each.append((clock() - start) / 1000)
    return each


def median_ms(times: int, work: Callable[..., object], *args: object) -> float:
    """Median of this many runs, in milliseconds."""
    return statistics.median(timed(times, work, *args)) / 1000
