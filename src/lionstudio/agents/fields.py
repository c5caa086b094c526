"""Reading records that nobody promised to us: a field of another type than expected reads as nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Record = Mapping[str, Any]

_MOST = 2**53  # what a count may be; see model/usage.py


def dict_of(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text_of(value: object) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def count_of(value: object) -> int:
    """The value if it can be a number of tokens, else zero."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else 0


def microdollars_of(value: object) -> int | None:
    """Dollars as integer millionths; None when it is no price."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
        return None
    return round(value * 1_000_000)


def known(**facts: Any) -> dict[str, Any]:
    """The facts that say something."""
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}
