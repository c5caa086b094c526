"""The busy handler: wait for a lock that another process holds.

SQLite's own handler sleeps longer each time, up to 100 ms: of eight writers without a pause, those that came late slept
while the others took turns. Short sleeps of random length give every process the same chance.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import apsw

_SHORTEST_US, _RANDOM_US = 200, 800  # an append holds the lock for 100 µs
_LONG = 1.0  # seconds; the other process upgrades or vacuums, so try less often
_LONG_SLEEP = 0.02


def set_busy_wait(raw: apsw.Connection, milliseconds: int) -> None:
    """Wait this long for a lock before SQLite reports busy."""
    raw.set_busy_handler(_handler(milliseconds / 1000))


def _handler(seconds: float) -> Callable[[int], bool]:
    began = 0.0

    def wait(tries: int) -> bool:
        nonlocal began
        now = time.monotonic()
        if tries == 0:
            began = now
        waited = now - began
        if waited >= seconds:
            return False
        # the last digits of the clock are random enough, and `random` need not be loaded
        time.sleep((_SHORTEST_US + time.monotonic_ns() % _RANDOM_US) / 1e6 if waited < _LONG else _LONG_SLEEP)
        return True

    return wait
