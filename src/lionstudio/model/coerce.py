"""Single values of unknown origin as what a column holds, or None; nothing here raises."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from lionstudio.model.ids import MAX_ID_LENGTH

_LATEST = 253402300800.0  # the year 10000; nothing later is a time
_MILLISECONDS_FROM = 1e11  # as seconds this would be the year 5138
_MOST_TOKENS = 2**53
V = TypeVar("V", bound=StrEnum)
Record = Mapping[str, Any]  # of somebody else's file or stream: a field may hold anything


def to_timestamp(value: object) -> float | None:
    """Unix seconds of a number (of seconds, or of milliseconds) or of an ISO text; UTC where it names no zone."""
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
    if text[4:5] != "-":  # else it is a date, and not asking saves an exception for each record
        try:
            return float(text) if len(text) < 40 else None
        except ValueError:
            pass
    try:
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def to_int(value: object) -> int | None:
    """A whole number that fits in 64 bits; a text or a decimal that spells one counts."""
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
    """A count of tokens; what is none counts as zero."""
    found = to_int(value)
    return found if found is not None and 0 <= found <= _MOST_TOKENS else 0


def to_microusd(dollars: object) -> int | None:
    """Dollars as whole millionths, None when there is no price."""
    if isinstance(dollars, bool) or not isinstance(dollars, (int, float)):
        return None
    if not 0 <= dollars < _MOST_TOKENS / 1e6:  # false for NaN too
        return None
    return round(dollars * 1e6)


def to_text(value: object) -> str | None:
    """A text that is not empty; numbers are spelled out, structures are none."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return str(value) or None


def to_bool(value: object) -> bool | None:
    """True, False, or None when it says neither."""
    if isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().lower())
    return bool(value) if isinstance(value, bool) or value in (0, 1) else None


def to_enum(vocabulary: type[V], value: object) -> V | None:
    """The member of a vocabulary that a word names, None when it names none."""
    return next((member for member in vocabulary if member == value), None)


def to_id(value: object) -> str | None:
    """An id that a row can have."""
    usable = isinstance(value, str) and 0 < len(value) <= MAX_ID_LENGTH and value.isprintable()
    return str(value) if usable else None


def text_or_none(value: object) -> str | None:
    """A text that is not empty; nothing else counts as one."""
    return value if isinstance(value, str) and value else None


def dict_of(value: object) -> dict[str, Any]:
    """The value itself if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """The value itself if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def to_mapping(value: object) -> dict[str, Any]:
    """A copy of an object; of anything else an empty one."""
    return dict(value) if isinstance(value, dict) else {}


def first(given: Mapping[str, Any], *names: str) -> str | None:
    """The first of several keys that holds a text."""
    return next((found for name in names if (found := to_text(given.get(name))) is not None), None)
