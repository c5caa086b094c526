"""Column values of another database; values without a column here go into the metadata under `imported`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import to_mapping
from lionstudio.model.entity import Element
from lionstudio.model.import_ids import IMPORTED
from lionstudio.model.json_codec import MAX_DEPTH, dump, load, visible
from lionstudio.system.json_read import parse_json

Record = Mapping[str, Any]


def columns_of(element: type[Element]) -> frozenset[str]:
    """The columns that hold the fields of an element."""
    return frozenset(element.COLUMNS.get(item.name, item.name) for item in fields(element))


def decoded(value: Any) -> Any:
    """The value of a JSON column; text that is not JSON stays text."""
    if isinstance(value, bytes):
        value = as_text(value)
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value)
    except ValueError:
        return value


def as_text(value: bytes) -> str:
    """Bytes as text, with bytes that are not UTF-8 escaped."""
    return value.decode("utf-8", "backslashreplace")


def metadata_of(record: Record) -> dict[str, Any]:
    """The metadata column; a value that is not an object is kept as `unreadable`."""
    value = decoded(record.get("node_metadata"))
    if value is None or value == "":
        return {}
    return to_mapping(value) if isinstance(value, dict) else {"unreadable": value}


def keep_only(metadata: Mapping[str, Any], facts: frozenset[str]) -> dict[str, Any]:
    """The metadata with these keys; all others are kept under `imported`, where no code acts on them."""
    rest = {name: value for name, value in metadata.items() if name not in facts}
    kept = {name: value for name, value in metadata.items() if name in facts}
    return kept | ({IMPORTED: {"metadata": rest}} if rest else {})


def keep_rest(metadata: dict[str, Any], record: Record, columns: frozenset[str], **replaced: Any) -> dict[str, Any]:
    """Add every column that is not in `columns` to the metadata, and the original values of replaced ones."""
    rest = {name: record[name] for name in sorted(record.keys() - columns)} | replaced
    rest = {name: kept for name, value in rest.items() if (kept := _metadata_value(value)) is not None}
    if rest:
        metadata[IMPORTED] = {**to_mapping(metadata.get(IMPORTED)), **rest}
    return metadata


def _metadata_value(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    # JSON is easier to read decoded; any other text must stay exactly as it was
    is_json = isinstance(value, str) and (value[:1] in ("{", "[") or value == "null")
    return decoded(value) if is_json else value


def content_text(value: Any, is_json: bool) -> str | None:
    """The content column: the same text if it is valid JSON, else JSON that keeps the whole value."""
    if value is None or value == "null":
        return None
    if isinstance(value, str) and is_json and value.lstrip()[:1] in ("{", "[", '"') and _is_shallow(value):
        return value
    parsed = decoded(value)
    if isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
        return dump(str(value))  # JSON would round it
    return dump({"unreadable": parsed} if isinstance(parsed, str) else parsed)


def _is_shallow(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return True
    try:
        dump(load(text))
    except (ValueError, InvalidInput):
        return False
    return True


def text_column(value: Any) -> str | None:
    if value is None:
        return None
    return visible(as_text(value) if isinstance(value, bytes) else str(value))
