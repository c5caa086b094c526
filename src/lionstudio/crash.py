"""Named crash points: a test kills the process there to prove that nothing is lost.

`LIONAGI_CRASH_AT=append.inserted:3` sends SIGKILL to the process the third time it reaches that point. Outside tests
the variable is unset, and a point costs one comparison.
"""

from __future__ import annotations

import os
import signal

_name, _, _count = os.environ.get("LIONAGI_CRASH_AT", "").partition(":")
_remaining = int(_count or 1)


def point(name: str) -> None:
    """Kill the process if the test chose this point."""
    global _remaining
    if name != _name:
        return
    _remaining -= 1
    if _remaining <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
