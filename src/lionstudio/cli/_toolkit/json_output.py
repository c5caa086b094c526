"""JSON for programs: compact in a pipe, indented on a terminal, lossless and harmless to look at."""

from __future__ import annotations

import json
import sys
from typing import Any

from lionstudio.cli._toolkit.escape import in_json
from lionstudio.cli._toolkit.output import emit
from lionstudio.model.json_codec import jsonable

SCHEMA_VERSION = 1


def to_json(value: Any, *, indent: int | None = None) -> str:
    """The JSON text of a value; whatever a terminal could stumble over is escaped."""
    try:
        text = _encode(value, indent)
    except (TypeError, ValueError):
        # another tool may have put bytes or an infinite number into a row; it is shown all the same
        text = _encode(jsonable(value), indent)
    return in_json(text)


def _encode(value: Any, indent: int | None) -> str:
    separators = (",", ": ") if indent else (",", ":")
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)


def print_json(value: dict[str, Any]) -> None:
    """One document on stdout, with the version of its shape first."""
    indent = 2 if sys.stdout.isatty() else None
    emit(to_json({"schema_version": SCHEMA_VERSION, **value}, indent=indent) + "\n")
