"""Days, weeks and hours of a time zone, and billing blocks; all begin and end on a quarter of an hour."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from lionstudio.errors import InvalidInput

HOUR, DAY = 3600, 86400
BLOCK = 5 * HOUR  # vendors count usage limits in blocks that begin with the hour of the first request
_STEP = 900  # offsets from UTC and their changes are multiples of it
_FIRST, _LAST = 0, 4102444800  # the rules of time zones are only asked between 1970 and 2100

Zone = Callable[[float], int]  # seconds east of UTC at a time


def zone_of(name: str | None) -> Zone:
    """The zone with this name (`Europe/Berlin`); that of this machine without one."""
    if name is None or name == "local":
        return lambda at: time.localtime(at).tm_gmtoff
    if name.upper() == "UTC":
        return lambda at: 0
    from zoneinfo import ZoneInfo

    try:
        zone = ZoneInfo(name)
    except (ValueError, OSError, LookupError) as error:
        raise InvalidInput(f"unknown time zone {name!r:.60}", hint="use a name such as UTC or Europe/Berlin") from error

    def offset(at: float) -> int:
        moment = datetime.fromtimestamp(min(max(at, _FIRST), _LAST), UTC)
        return int((moment.astimezone(zone).utcoffset() or timedelta()).total_seconds())

    return offset


class Stretch(NamedTuple):
    """A time with one offset from UTC."""

    start: float
    end: float
    offset: int


def stretches(start: float, end: float, zone: Zone) -> Iterator[Stretch]:
    """The parts of a range between changes of the offset: two or three a year."""
    begun, at = start, min(max(start, _FIRST), _LAST)
    offset = _rounded(zone(at))
    while (later := min(at + DAY, end)) > at and later < _LAST:
        if (then := _rounded(zone(later))) != offset:
            low, high = at // _STEP, later // _STEP
            while high - low > 1:  # the quarter of an hour at which it changes
                middle = (low + high) // 2
                low, high = (middle, high) if _rounded(zone(middle * _STEP)) == offset else (low, middle)
            yield Stretch(begun, high * _STEP, offset)
            begun, offset = high * _STEP, then
        at = later
    yield Stretch(begun, end, offset)


def _rounded(offset: int) -> int:
    return round(offset / _STEP) * _STEP  # local mean times of the past have seconds


def local_start(number: int, size: int, zone: Zone) -> float:
    """When a local day or hour with this number begins."""
    at = number * size - _rounded(zone(min(max(number * size, _FIRST), _LAST)))
    return at - (_rounded(zone(min(max(at, _FIRST), _LAST))) - (number * size - at))


def day_name(number: int) -> str:
    try:
        return (date(1970, 1, 1) + timedelta(days=number)).isoformat()
    except OverflowError:
        return f"day {number}"


def week_of(day: int) -> int:
    """The Monday of a day's week."""
    return (day + 3) // 7 * 7 - 3
