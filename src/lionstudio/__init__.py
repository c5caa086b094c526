"""Lion Studio: everything your agents do, kept and visible while it happens."""

from __future__ import annotations

from lionstudio.version import VERSION as __version__

TYPE_CHECKING = False  # the one in typing is slow to load, and `li --help` does without
if TYPE_CHECKING:
    from typing import Any

    from lionstudio.runs.api import record

__all__ = ["__version__", "record"]


def __getattr__(name: str) -> Any:
    """`record` is loaded when it is asked for: commands that do not record should not pay for it."""
    if name == "record":
        from lionstudio.runs.api import record

        return record
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
