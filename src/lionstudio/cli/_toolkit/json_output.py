"""JSON for programs: compact in a pipe, indented on a terminal, lossless and safe to print."""

from __future__ import annotations

import json
import sys
from typing import Any

from lionstudio.cli._toolkit.escape import in_json
from lionstudio.cli._toolkit.output import emit
from lionstudio.model.json_codec import jsonable

SCHEMA_VERSION = 1


def to_json(value: Any, *, indent: int | None = None) -> str:
    """Encode a value; characters that are unsafe for a terminal are escaped."""
    try:
        text = _encode(value, indent)
    except (TypeError, ValueError):
        # another tool may have stored bytes or an infinite number; show it anyway
        text = _encode(jsonable(value), indent)
    return in_json(text)


def _encode(value: Any, indent: int | None) -> str:
    separators = (",", ": ") if indent else (",", ":")
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)


def print_json(value: dict[str, Any]) -> None:
    """Print one document, with `schema_version` first."""
    indent = 2 if sys.stdout.isatty() else None
    emit(to_json({"schema_version": SCHEMA_VERSION, **value}, indent=indent) + "\n")
