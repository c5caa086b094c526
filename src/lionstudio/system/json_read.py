"""JSON files that other programs wrote: read as they are, or refused with the reason; never an exception besides.

Numbers that JSON does not have (NaN, 1e999) or that no column holds (5,000 digits) become their own text. A key that
stands twice is refused, because nobody can say which of the two is meant.
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
    """The value of a JSON file."""
    content = read_bytes(path, most=most, root=root)
    try:
        return parse_json(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _refused(path, f"is not UTF-8 (byte {error.start + 1})") from None
    except ValueError as error:
        raise _refused(path, f"is not JSON that can be read: {error}") from None


def read_object(path: str, *, most: int, root: str | None = None) -> dict[str, Any]:
    """The value of a JSON file that must be an object."""
    value = read_json(path, most=most, root=root)
    if not isinstance(value, dict):
        raise _refused(path, "holds no JSON object")
    return value


def find_object(path: str, *, most: int = 5_000_000) -> dict[str, Any] | None:
    """Read a file of ours; None when it is missing, broken, not an object, or not in its folder."""
    try:
        return read_object(path, most=most, root=os.path.dirname(path))
    except LionError:
        return None


def parse_json(text: str) -> Any:
    """The value of a JSON text; ValueError says what is wrong with it."""
    try:
        return _decode(text.removeprefix(BOM))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _whole(digits: str) -> int | str:
    return digits if len(digits) > _MOST_DIGITS else int(digits)


def _decimal(digits: str) -> float | str:
    value = float(digits)
    return value if math.isfinite(value) else digits


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {shown(twice)!r:.60} stands twice in one object")
    return made


_decode = json.JSONDecoder(parse_int=_whole, parse_float=_decimal, parse_constant=str, object_pairs_hook=_object).decode


def _refused(path: str, reason: str) -> InvalidInput:
    return InvalidInput(f"{shown(path)} {reason}", hint="repair it or move it away, then import again")
