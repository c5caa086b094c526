"""Element: what every stored thing shares: an id, a time, metadata, and a class tag that outlives our code.

A tag is a stable name (ADR-0009's class paths), not an import path; a tag nobody knows is kept as it is.
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
    """The class a tag stands for, None when it is not one of ours."""
    return _classes.get(tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """Anything with an id, a birth time and metadata."""

    TAG: ClassVar[str] = UNKNOWN_TAG
    # fields whose column has another name (METADATA is a word of SQL)
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
        """The class tag: our own, or the one that came with an element of an unknown class."""
        return self.TAG if self.TAG != UNKNOWN_TAG else str(self.metadata.get("lion_class", UNKNOWN_TAG))

    def to_dict(self, mode: Mode = "python") -> dict[str, Any]:
        """All fields; `json` has only JSON values, `db` has the names and values of the columns."""
        data = {item.name: _plain(getattr(self, item.name), mode) for item in fields(self)}
        if self.tag != UNKNOWN_TAG:
            data["metadata"] = {"lion_class": self.tag, **data["metadata"]}
        if mode == "db":
            for name, column in self.COLUMNS.items():
                data[column] = data.pop(name)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of to_dict in every mode; the tag chooses the class, unknown keys go to the metadata."""
        given = dict(data)
        metadata = {**(given.pop("node_metadata", None) or {}), **(given.pop("metadata", None) or {})}
        made = find_class(str(metadata.get("lion_class", "")))
        target = made if made is not None and issubclass(made, cls) else cls
        if metadata.get("lion_class") in (target.TAG, UNKNOWN_TAG):
            del metadata["lion_class"]
        for name, column in target.COLUMNS.items():
            if column in given:
                given[name] = given.pop(column)
        known = {item.name for item in fields(target)}
        extra = {key: given.pop(key) for key in list(given) if key not in known}
        if extra:
            before = metadata.get("extra", {})
            metadata["extra"] = {**(before if isinstance(before, Mapping) else {"extra": before}), **extra}
        return target(**target.revive(given), metadata=metadata)

    @classmethod
    def revive(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Turn stored values back into what the fields hold; subclasses add their own."""
        return given


def revive_enums(given: dict[str, Any], vocabularies: Mapping[str, type[StrEnum]]) -> dict[str, Any]:
    """Words become members of their vocabulary; one that another program wrote stays a word."""
    for key, vocabulary in vocabularies.items():
        if key in given:
            given[key] = next((member for member in vocabulary if member == given[key]), given[key])
    return given


def milliseconds(start: object, end: object) -> float | None:
    """From one time to another; None where one is missing or is no number."""
    if isinstance(start, (int, float)) and isinstance(end, (int, float)):
        return (end - start) * 1000
    return None


def _plain(value: Any, mode: Mode) -> Any:
    """Copies of containers, so that a caller cannot change a frozen element through its dictionary."""
    if isinstance(value, Mapping):
        return {key: _plain(item, mode) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item, mode) for item in value]
    # a status is a str subclass; outside Python it is a plain word
    return str(value) if isinstance(value, str) and mode != "python" else value
