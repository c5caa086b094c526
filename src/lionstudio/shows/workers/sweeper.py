"""Give away orders whose leases this process has itself seen stand still; clocks of other machines are never read."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from lionstudio.state.workers.orders import WorkOrder
from lionstudio.state.workers.workers import BEAT_SECONDS, SILENCE_SECONDS

SWEEP_SECONDS = 0.4 * BEAT_SECONDS


class _Seen(NamedTuple):
    fence: int
    beat: int
    since: float


def clock() -> float:
    """Seconds that also count while this machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Sweeper:
    """Watches the beats of all taken orders."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}
        self._last_look: float | None = None

    def forget(self) -> None:
        """Start again: this process was away, so it has watched nothing."""
        self._seen.clear()
        self._last_look = None

    def look(self, orders: Sequence[WorkOrder], ours: Collection[str], now: float) -> list[WorkOrder]:
        """Return the orders that stood still for the whole time of silence; those of our own are not judged."""
        if self._last_look is not None and now - self._last_look > 2 * BEAT_SECONDS:
            self._seen.clear()
        self._last_look = now
        seen, silent = {}, []
        for order in orders:
            before = self._seen.get(order.id)
            if before is None or (before.fence, before.beat) != (order.fence, order.beat):
                before = _Seen(order.fence, order.beat, now)
            seen[order.id] = before
            if order.id not in ours and now - before.since >= SILENCE_SECONDS:
                silent.append(order)
        self._seen = seen
        return silent
