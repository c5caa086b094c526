"""Element: the base of every stored object, with an id, a time, metadata and a class tag.

A tag is a stable name (ADR-0009's class paths), not an import path; an unknown tag is preserved.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self

from lionstudio.model.ids import new_id

Mode = Literal["python", "json", "db"]

UNKNOWN_TAG = "__unknown__"

_classes: dict[str, type[Element]] = {}


def find_class(tag: str) -> type[Element] | None:
    """The class of a tag; None for a tag that is not ours."""
    return _classes.get(tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """An object with an id, a creation time and metadata."""

    TAG: ClassVar[str] = UNKNOWN_TAG
    # fields whose column has another name (METADATA is reserved in SQL)
    COLUMNS: ClassVar[Mapping[str, str]] = {"metadata": "node_metadata"}

    id: str = field(default_factory=new_id)
    created_at: float = field(default_factory=time.time)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __init_subclass__(cls) -> None:
        # slots=True builds each class twice; the second, final one stays in the registry
        if cls.TAG != UNKNOWN_TAG:
            _classes[cls.TAG] = cls

    @property
    def tag(self) -> str:
        """The tag of the class, or the tag that an element of an unknown class was read with."""
        return self.TAG if self.TAG != UNKNOWN_TAG else str(self.metadata.get("lion_class", UNKNOWN_TAG))

    def to_dict(self, mode: Mode = "python") -> dict[str, Any]:
        """All fields: `json` has only JSON values, `db` has the column names and values."""
        data = {item.name: _plain(getattr(self, item.name), mode) for item in fields(self)}
        if self.tag != UNKNOWN_TAG:
            data["metadata"] = {"lion_class": self.tag, **data["metadata"]}
        if mode == "db":
            for name, column in self.COLUMNS.items():
                data[column] = data.pop(name)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of to_dict in every mode; the tag selects the class, unknown keys go to the metadata."""
        values = dict(data)
        metadata = {**(values.pop("node_metadata", None) or {}), **(values.pop("metadata", None) or {})}
        tagged = find_class(str(metadata.get("lion_class", "")))
        target = tagged if tagged is not None and issubclass(tagged, cls) else cls
        if metadata.get("lion_class") in (target.TAG, UNKNOWN_TAG):
            del metadata["lion_class"]
        for name, column in target.COLUMNS.items():
            if column in values:
                values[name] = values.pop(column)
        names = {item.name for item in fields(target)}
        extra = {key: values.pop(key) for key in list(values) if key not in names}
        if extra:
            before = metadata.get("extra", {})
            metadata["extra"] = {**(before if isinstance(before, Mapping) else {"extra": before}), **extra}
        return target(**target.revive(values), metadata=metadata)

    @classmethod
    def revive(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Convert stored values to the types of the fields; subclasses add their own."""
        return values


def revive_enums(values: dict[str, Any], enums: Mapping[str, type[StrEnum]]) -> dict[str, Any]:
    """Strings become members of their enum; an unknown value stays a string."""
    for key, enum in enums.items():
        if key in values:
            values[key] = next((member for member in enum if member == values[key]), values[key])
    return values


def milliseconds(start: object, end: object) -> float | None:
    """The duration between two times; None when one is not a number."""
    if isinstance(start, (int, float)) and isinstance(end, (int, float)):
        return (end - start) * 1000
    return None


def _plain(value: Any, mode: Mode) -> Any:
    """Copies containers, so that a caller cannot change a frozen element through its dictionary."""
    if isinstance(value, Mapping):
        return {key: _plain(item, mode) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item, mode) for item in value]
    # a status is a str subclass; outside Python it is a plain string
    return str(value) if isinstance(value, str) and mode != "python" else value
