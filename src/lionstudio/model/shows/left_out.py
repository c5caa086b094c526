"""Files of a play that no commit contains, and why."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Self

from lionstudio.model.coerce import to_enum
from lionstudio.system.filenames import shown


class Why(StrEnum):
    """Reason why a file is in no commit; the first two keep a play from being merged without a person."""

    FILTER = "filter"
    SUBMODULE = "submodule"
    IGNORED = "ignored"


class LeftOut(NamedTuple):
    path: str
    why: Why
    detail: str = ""  # the name of the filter

    def to_dict(self) -> dict[str, str]:
        return {"path": shown(self.path), "why": str(self.why), **({"detail": self.detail} if self.detail else {})}

    @classmethod
    def parse(cls, records: Any) -> list[Self]:
        """Read the items of `_meta.json`; version 0.1 stored names only, and an agent may have written anything."""
        items = [item for item in records if isinstance(item, dict)] if isinstance(records, list) else []
        known = [(item, to_enum(Why, item.get("why"))) for item in items]
        return [cls(str(item.get("path")), why, str(item.get("detail") or "")) for item, why in known if why]


def describe(left_out: Sequence[LeftOut]) -> str:
    """Say in one line which files were left out and why."""
    names = ", ".join(shown(item.path) for item in left_out[:5])
    more = f" and {len(left_out) - 5} more" if len(left_out) > 5 else ""
    filters = sorted({item.detail for item in left_out if item.detail})
    cause = f"git needs the filter {', '.join(filters)} to store them" if filters else "they are changed submodules"
    return (
        f"{len(left_out)} changed {'file is' if len(left_out) == 1 else 'files are'} left out: {names}{more}; {cause}"
    )
