"""Format sizes, times, durations, costs and counts for people, and times as ISO 8601 (UTC) for programs."""

from __future__ import annotations

import time
from typing import Any

SHORT_ID = 13
_SPANS = ((31557600, "y"), (2629800, "mo"), (604800, "w"), (86400, "d"), (3600, "h"), (60, "m"))


def size(count: float) -> str:
    """Bytes as 1.2 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(count) < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or abs(count) >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: 1 session, 2,000 sessions."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def span(seconds: float) -> str:
    """A duration: 45s, 3m12s, 2h05m, 3d4h."""
    whole = int(max(seconds, 0))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02}m"
    return f"{whole // 86400}d{whole % 86400 // 3600}h"


def ago(at: Any, now: float) -> str:
    """An age: just now, 5m ago, 3d ago."""
    if not is_time(at):
        return "?"
    age = now - at
    for length, unit in _SPANS:
        if age >= length:
            return f"{int(age // length)}{unit} ago"
    return "just now" if age > -60 else "in the future"


def iso(at: Any) -> str | None:
    """Unix seconds as 2026-05-20T14:02:11.250Z; None for a value that is not a time."""
    if not is_time(at):
        return None
    millis = int(at * 1000 // 1)
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(millis // 1000)) + f".{millis % 1000:03}Z"
    except (OverflowError, ValueError, OSError):
        return None


def local(at: Any) -> str:
    """Unix seconds in local time: 2026-05-20 14:02:11."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at)) if is_time(at) else "?"
    except (OverflowError, ValueError, OSError):
        return "?"


_WHOLE_MINUTES = 63_072_000  # 1972: since then local time differs from UTC by whole minutes everywhere


class LocalClock:
    """`local` for many times one after the other: a minute is formatted once."""

    def __init__(self) -> None:
        self._minute, self._shown = -1, ""

    def show(self, at: Any) -> str:
        if type(at) is not float or not _WHOLE_MINUTES < at < 1e11:
            return local(at)
        minute, second = divmod(int(at), 60)
        if minute != self._minute:
            self._minute, self._shown = minute, local(minute * 60)[:-2]
        return f"{self._shown}{second:02}"


def short_id(session_id: str) -> str:
    """The start of an id, enough to identify a session: the millisecond timestamp of a UUIDv7."""
    return session_id[:SHORT_ID]


def distinct_length(ids: list[str]) -> int:
    """The shortest prefix length that tells the ids of a list apart."""
    longest = max(map(len, ids), default=SHORT_ID)
    return next((n for n in range(SHORT_ID, longest) if len({id_[:n] for id_ in ids}) == len(ids)), longest)


def is_time(at: Any) -> bool:
    """Whether a stored value can be a time; another tool may have written anything."""
    return isinstance(at, (int, float)) and not isinstance(at, bool) and abs(at) < 1e12


def cost(microusd: Any) -> str:
    """Millionths of a dollar as $0.0123; empty if the price is unknown."""
    if not isinstance(microusd, int):
        return ""
    dollars = microusd / 1e6
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


def tokens(number: int) -> str:
    """A count of tokens: 950, 12.3k, 4.5M."""
    if number < 1000:
        return str(number)
    return f"{number / 1000:.1f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"
