"""Convert single values of unknown origin to the type of a column, or None; nothing here raises."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from lionstudio.model.ids import MAX_ID_LENGTH

_LATEST = 253402300800.0  # the year 10000
_MILLISECONDS_FROM = 1e11  # as seconds this would be the year 5138
MAX_COUNT = 10**12  # tokens or millionths of a dollar of one message; more is not true, and sums must stay exact
V = TypeVar("V", bound=StrEnum)
Record = Mapping[str, Any]  # from another program's file or stream: a field may hold anything


def to_timestamp(value: object) -> float | None:
    """Unix seconds from seconds, milliseconds or ISO text; UTC when the text has no time zone."""
    if isinstance(value, str):
        value = _iso(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int) and abs(value) > 2**63:
        return None
    seconds = float(value)
    if not math.isfinite(seconds):
        return None
    while seconds >= _MILLISECONDS_FROM:
        seconds /= 1000
    return seconds if 0 <= seconds < _LATEST else None


def _iso(text: str) -> float | None:
    if text[4:5] != "-":  # otherwise a date; skipping float() saves an exception for each record
        try:
            return float(text) if len(text) < 40 else None
        except ValueError:
            pass
    try:
        time = datetime.fromisoformat(text.strip())
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def to_int(value: object) -> int | None:
    """An integer that fits in 64 bits, from an int, an integral float or its text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str) and len(value) < 20 and value.strip().lstrip("-").isdecimal() and value.isascii():
        try:
            value = int(value)
        except ValueError:
            return None
    return value if isinstance(value, int) and -(2**63) <= value < 2**63 else None


def to_token_count(value: object) -> int:
    """A token count; anything else is zero."""
    count = value if type(value) is int else to_int(value)
    return count if count is not None and 0 <= count <= MAX_COUNT else 0


def to_microusd(dollars: object) -> int | None:
    """Dollars as integer millionths; None when the value is not a price."""
    if isinstance(dollars, bool) or not isinstance(dollars, (int, float)):
        return None
    if not 0 <= dollars <= MAX_COUNT / 1e6:  # false for NaN too
        return None
    return round(dollars * 1e6)


def to_text(value: object) -> str | None:
    """A non-empty text; numbers become text, containers None."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return str(value) or None


def to_bool(value: object) -> bool | None:
    """True, False, or None when the value means neither."""
    if isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().lower())
    return bool(value) if isinstance(value, bool) or value in (0, 1) else None


def to_enum(enum: type[V], value: object) -> V | None:
    """The member of an enum with this value; None when there is none."""
    return next((member for member in enum if member == value), None)


def to_id(value: object) -> str | None:
    """A valid id of a row."""
    usable = isinstance(value, str) and 0 < len(value) <= MAX_ID_LENGTH and value.isprintable()
    return str(value) if usable else None


def text_or_none(value: object) -> str | None:
    """The value if it is a non-empty string."""
    return value if isinstance(value, str) and value else None


def dict_of(value: object) -> dict[str, Any]:
    """The value if it is a dict, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def to_mapping(value: object) -> dict[str, Any]:
    """A copy of the value if it is a dict, else an empty one."""
    return dict(value) if isinstance(value, dict) else {}


def first(record: Mapping[str, Any], *names: str) -> str | None:
    """The first non-empty text under one of the names."""
    return next((text for name in names if (text := to_text(record.get(name))) is not None), None)
