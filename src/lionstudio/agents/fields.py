"""Reading records that nobody promised to us: a field of another type than expected reads as nothing."""

from __future__ import annotations

from typing import Any


def text_of(value: object) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def known(**facts: Any) -> dict[str, Any]:
    """The facts that say something."""
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}
