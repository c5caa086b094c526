"""Messages as JSON without parsing them: what is stored as JSON is put between the other fields as it is."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from lionstudio.state.connection import Row
from lionstudio.state.transcripts import Line

_text = json.JSONEncoder(ensure_ascii=False).encode
_NAMES = ("sender", "recipient", "channel", "role", "lion_class")


def message_list(lines: Iterable[Row], branches: Mapping[str, str]) -> bytes:
    """The JSON array of lines; `branches` says on which branch each was said."""
    known: dict[tuple[Any, ...], str] = {}
    return f"[{','.join(_piece(line, branches, known) for line in lines)}]".encode("utf-8", "replace")


def one_message(line: Row, branches: Mapping[str, str]) -> bytes:
    """The JSON object of one line."""
    return _piece(line, branches, {}).encode("utf-8", "replace")


def _piece(row: Row, branches: Mapping[str, str], known: dict[tuple[Any, ...], str]) -> str:
    line = Line._make(row)
    branch = branches.get(line.message_id)
    head = f'{{"ord":{line.ord},"id":{_text(line.message_id)},"branch_id":{"null" if branch is None else _text(branch)}'
    if not line.there:
        return head + ',"missing":true,"created_at":null,"metadata":{},"content":null}'
    rest = row[8:13]
    if rest not in known:
        known[rest] = _text({name: _word(value) for name, value in zip(_NAMES, rest, strict=True)})[1:]
    return (
        f'{head},"missing":false,"created_at":{_number(line.created_at)},'
        f'"metadata":{_json(line.metadata, line.metadata_is_json, "{}")},'
        f'"content":{_json(line.content, line.content_is_json, "null")},{known[rest]}'
    )


def _json(stored: Any, is_json: int | None, nothing: str) -> str:
    if stored is None:
        return nothing
    if is_json and isinstance(stored, str):
        return stored
    # another hand left it there; it is shown instead of breaking the list
    return _text({"unreadable": stored if isinstance(stored, str) else str(stored)})


def _number(value: Any) -> str:
    good = isinstance(value, (int, float)) and math.isfinite(value)
    return repr(value) if good else "null"


def _word(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)
