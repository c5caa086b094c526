"""Points in time as people give them on the command line: 90s, 30m, 2h, 14d, 3w, 2026-05-01, 2026-05-01T14:00Z."""

from __future__ import annotations

import argparse
import re
import time

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_AGE = re.compile(r"([0-9]{1,9})(s|m|min|h|d|w)")


def point_in_time(text: str) -> float:
    """Unix seconds of an age or of a date; a date without a zone is of this machine's."""
    age = _AGE.fullmatch(text)
    if age is not None:
        return time.time() - int(age[1]) * _UNITS[age[2]]
    from datetime import datetime  # only needed for dates

    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r:.60} is no time; give an age such as 2h or 14d, or a date such as 2026-05-01"
        ) from None
