"""Named points at which a test may kill the process, to prove that nothing is lost there.

`LIONAGI_CRASH_AT=append.inserted:3` ends the process by SIGKILL the third time it passes that
point. Unset, which is always outside tests, a point costs one comparison.
"""

from __future__ import annotations

import os
import signal

_name, _, _count = os.environ.get("LIONAGI_CRASH_AT", "").partition(":")
_left = int(_count or 1)


def point(name: str) -> None:
    """Die here if the test asked for this point."""
    global _left
    if name != _name:
        return
    _left -= 1
    if _left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
