"""Wait for something that another process does."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], seconds: float = 30.0, what: str = "") -> None:
    """Poll until the condition holds; fail with `what` after the time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what or "it did not happen in time"
        time.sleep(0.02)
