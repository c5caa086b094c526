"""Waiting for a lock that another process holds. SQLite only.

SQLite's own waiting sleeps longer each time, up to 100 ms: of eight writers without a pause, those that came late slept
while the others took turns. Sleeping shortly, for a random time, gives everybody the same chance.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import apsw

_SHORTEST_US, _MORE_US = 200, 800  # an append holds the lock for 100 µs
_LONG = 1.0  # somebody upgrades or vacuums: then it need not be looked for so often
_LONG_SLEEP = 0.02


def set_busy_wait(raw: apsw.Connection, milliseconds: int) -> None:
    """From now on wait so long for a lock before it counts as busy."""
    raw.set_busy_handler(_patience(milliseconds / 1000))


def _patience(seconds: float) -> Callable[[int], bool]:
    began = 0.0

    def wait(tries: int) -> bool:
        nonlocal began
        now = time.monotonic()
        if tries == 0:
            began = now
        waited = now - began
        if waited >= seconds:
            return False
        # the last digits of the clock are as good as dice here, and need not be loaded
        time.sleep((_SHORTEST_US + time.monotonic_ns() % _MORE_US) / 1e6 if waited < _LONG else _LONG_SLEEP)
        return True

    return wait
