"""JSON for the database: compact, lossless, and not nested deeper than any reader supports.

Lone surrogates are stored as `\\udXXX` escapes (a pair is joined to its character), NUL as `\\u0000`; numbers keep
every digit. A value that cannot be stored is refused before anything is written.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from lionstudio.errors import InvalidInput

# Python's parser fails near 1,000 levels, SQLite's at 1,000 and faster encoders at 254.
MAX_DEPTH = 200

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE = re.compile("[\ud800-\udfff]")


def _make_encode() -> Callable[[Any], str]:
    """`encode` with one C encoder for all messages; building one for each is a third of the cost."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # a Python without the C accelerator
        return _encoder.encode
    # None: no check for cycles; a cycle fails as nested too deeply
    encoder = make(None, _encoder.default, json.encoder.encode_basestring, None, ":", ",", False, False, False)
    return lambda value: "".join(encoder(value, 0))


_encode = _make_encode()


def dump(value: Any, what: str = "content") -> str:
    """The JSON text of a value; InvalidInput with the reason when it cannot be stored."""
    try:
        text = _encode(value)
    except RecursionError:
        raise _too_deep(what) from None
    except TypeError as error:
        raise InvalidInput(f"{what} contains a value that is not JSON: {error}") from None
    except ValueError as error:
        raise InvalidInput(f"{what} cannot be written as JSON: {error}") from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise _too_deep(what)
    return text if text.isascii() else _escape_surrogates(text)


def dump_text(text: str) -> str:
    """The JSON text of a string, as `dump` has it."""
    encoded = json.encoder.encode_basestring(text)
    return encoded if encoded.isascii() else _escape_surrogates(encoded)


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits:.40} is out of range")
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse_constant)
_scan: Callable[[str, int], tuple[Any, int]] = _decoder.scan_once  # type: ignore[attr-defined]


def load(text: str) -> Any:
    """Parse JSON; ValueError when it is invalid, nested too deeply or has a number that could not be written again."""
    try:
        # most of what is stored has no white space around it, and looking for it is half of the cost
        try:
            value, end = _scan(text, 0)
        except StopIteration:
            value, end = None, -1
        if end != len(text):
            value = _decoder.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    # another tool's text may be deeper than ours, and copying or printing the value would fail
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise ValueError("nested too deeply")
    return value


def load_or_keep(text: Any) -> Any:
    """Like load, but a damaged value is returned as `{"unreadable": …}`, so that one row does not fail a list."""
    if not isinstance(text, str):
        # a column declared JSON may hold a number, and any column bytes
        return {"unreadable": str(text)} if isinstance(text, bytes) or text in (math.inf, -math.inf) else text
    try:
        return load(text)
    except ValueError:
        return {"unreadable": text}


def spell(value: Any) -> str:
    """The JSON text of a stored value: never refuses; values that are not JSON become text."""
    try:
        text = _encode(value)
    except (TypeError, ValueError):
        text = _encode(jsonable(value))
    return text if text.isascii() else _escape_surrogates(text)


def jsonable(value: Any, _level: int = 0) -> Any:
    """A copy of a value of unknown origin in which everything that is not JSON becomes text."""
    if _level >= MAX_DEPTH - 10 and isinstance(value, (dict, list, tuple, set, frozenset)):
        return "(nested too deeply)"  # also ends a cycle
    if isinstance(value, dict):
        return {str(key): jsonable(item, _level + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [jsonable(item, _level + 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def visible(text: str) -> str:
    """Text for a text column: characters that UTF-8 or SQL cannot store are escaped, never dropped."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def _escape_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        joined = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
        return _LONE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", joined)
    return text


def _depth(value: Any) -> int:
    deepest, stack = 0, [(value, 1)]
    while stack:
        item, level = stack.pop()
        if isinstance(item, dict):
            stack += [(child, level + 1) for child in item.values()]
        elif isinstance(item, (list, tuple)):
            stack += [(child, level + 1) for child in item]
        else:
            continue
        deepest = max(deepest, level)
    return deepest


def _too_deep(what: str) -> InvalidInput:
    return InvalidInput(
        f"{what} is nested more than {MAX_DEPTH} levels deep", hint="store it as text (a JSON string) instead"
    )
