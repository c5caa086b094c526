"""Columns of another database in ours: what fits goes where it belongs, the rest into the metadata under `imported`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import to_mapping
from lionstudio.model.json_codec import MAX_DEPTH, dump, load, visible
from lionstudio.system.json_read import parse_json

Record = Mapping[str, Any]


def decoded(value: Any) -> Any:
    """The value of a JSON column, whatever is in it; text that is no JSON stays text."""
    if isinstance(value, bytes):
        value = as_text(value)
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value)
    except ValueError:
        return value


def as_text(value: bytes) -> str:
    """Bytes as text; what is not UTF-8 is spelled out."""
    return value.decode("utf-8", "backslashreplace")


def metadata_of(record: Record) -> dict[str, Any]:
    """The metadata column; what is no object is kept as `unreadable`."""
    found = decoded(record.get("node_metadata"))
    if found is None or found == "":
        return {}
    return to_mapping(found) if isinstance(found, dict) else {"unreadable": found}


def keep(metadata: dict[str, Any], record: Record, known: frozenset[str], **replaced: Any) -> dict[str, Any]:
    """The metadata with every column that has no place of its own, and the originals of what was replaced."""
    rest = {name: record[name] for name in sorted(record.keys() - known)} | replaced
    rest = {name: found for name, value in rest.items() if (found := _kept(value)) is not None}
    if rest:
        metadata["imported"] = {**to_mapping(metadata.get("imported")), **rest}
    return metadata


def _kept(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    # a column that held JSON is easier to read as such; any other text must stay exactly what it was
    held_json = isinstance(value, str) and (value[:1] in ("{", "[") or value == "null")
    return decoded(value) if held_json else value


def content_text(value: Any, is_json: bool) -> str | None:
    """The content column for ours: the same text where it is sound JSON, else the nearest that keeps everything."""
    if value is None or value == "null":
        return None
    if isinstance(value, str) and is_json and value.lstrip()[:1] in ("{", "[", '"') and _is_shallow(value):
        return value
    found = decoded(value)
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        return dump(str(value))  # a column of JSON would round it
    return dump({"unreadable": found} if isinstance(found, str) else found)


def _is_shallow(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return True
    try:
        dump(load(text))
    except (ValueError, InvalidInput):
        return False
    return True


def plain(value: Any) -> str | None:
    """A text column for ours."""
    if value is None:
        return None
    return visible(as_text(value) if isinstance(value, bytes) else str(value))
