"""Read JSON files that other programs wrote; InvalidInput gives the reason when one cannot be read.

Numbers that JSON does not have (NaN, 1e999) or that no column can store (5,000 digits) become text. A duplicate key
is refused, because either of the two values may be the intended one.
"""

from __future__ import annotations

import json
import math
import os
from typing import Any

from lionstudio.errors import InvalidInput, LionError
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import BOM, read_bytes

_MOST_DIGITS = 4000  # Python refuses to turn more than 4,300 into a number, or back


def read_json(path: str, *, most: int, root: str | None = None) -> Any:
    content = read_bytes(path, most=most, root=root)
    try:
        return parse_json(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _refused(path, f"is not UTF-8 (byte {error.start + 1})") from None
    except ValueError as error:
        raise _refused(path, f"is not valid JSON: {error}") from None


def read_object(path: str, *, most: int, root: str | None = None) -> dict[str, Any]:
    value = read_json(path, most=most, root=root)
    if not isinstance(value, dict):
        raise _refused(path, "is not a JSON object")
    return value


def find_object(path: str, *, most: int = 5_000_000) -> dict[str, Any] | None:
    """Read a file of ours; None when it is missing, broken, not an object, or not in its folder."""
    try:
        return read_object(path, most=most, root=os.path.dirname(path))
    except LionError:
        return None


def parse_json(text: str) -> Any:
    """Parse a JSON text; ValueError says what is wrong with it."""
    try:
        return _decode(text.removeprefix(BOM))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _integer(digits: str) -> int | str:
    return digits if len(digits) > _MOST_DIGITS else int(digits)


def _decimal(digits: str) -> float | str:
    value = float(digits)
    return value if math.isfinite(value) else digits


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        duplicate = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"duplicate key {shown(duplicate)!r:.60}")
    return value


_decode = json.JSONDecoder(
    parse_int=_integer, parse_float=_decimal, parse_constant=str, object_pairs_hook=_object
).decode


def _refused(path: str, reason: str) -> InvalidInput:
    return InvalidInput(f"{shown(path)} {reason}", hint="repair it or move it away, then import again")
