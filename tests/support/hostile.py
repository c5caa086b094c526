"""Strategies for text and JSON as the world makes them: NUL, lone surrogates, right-to-left, huge numbers, depth."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from lionstudio.model.json_codec import MAX_DEPTH

_TRAPS = (
    "",
    "\0",
    "a\0b",
    "\ud800",
    "x\udfffy",
    "\ud83d\ude00",
    "\ud800\ud83d\ude00",
    "🦁",
    "é",
    "e\u0301",
    "\u202eabc",
    "שלום",
    "\ufeff",
    "\u2028",
    "\x7f\x1b[31m",
    '"',
    "\\",
    "\\ud800",
    "\\x00",
    "'; DROP TABLE sessions; --",
    "%_",
    "{",
    "[",
    "null",
    "123",
    "1e999",
    " ",
    "\r\n\t",
    "\U0010ffff",
    "\ufffe",
    "\x85",
)

# every code point, surrogates included, and the known traps between
hostile_text = st.one_of(
    st.sampled_from(_TRAPS),
    st.text(st.characters(codec=None, exclude_categories=()), max_size=20),
    st.lists(st.sampled_from(_TRAPS), max_size=4).map("".join),
)
numbers = st.one_of(
    st.integers(-(2**70), 2**70),
    st.sampled_from([2**63, 2**64, -(2**63) - 1, 10**400, 2**53 + 1]),
    st.floats(allow_nan=False, allow_infinity=False),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, hostile_text)
# `lion_class` is the one key that is ours
keys = hostile_text.filter(lambda key: key != "lion_class")


def values(leaves: st.SearchStrategy[Any] = scalars) -> st.SearchStrategy[Any]:
    """JSON values, some of them as deep as is allowed."""
    return st.one_of(
        st.recursive(
            leaves,
            lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
            max_leaves=8,
        ),
        st.integers(2, MAX_DEPTH - 2).map(nested),
    )


def objects() -> st.SearchStrategy[dict[str, Any]]:
    """JSON objects."""
    return st.dictionaries(keys, values(), max_size=3)


def nested(levels: int) -> Any:
    """An array in an array in an array."""
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


# Times as they come: whole and broken seconds, long ago and far ahead.
times = st.floats(-1e11, 1e11, allow_nan=False)
# What may stand as an id: printable, neither empty nor longer than 200.
ids = st.text(st.characters(categories=("L", "M", "N", "P", "S"), include_characters=" "), min_size=1, max_size=200)
maybe = st.none() | hostile_text

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def joined(value: Any) -> Any:
    """The same value with surrogate pairs as the character they spell, which is what JSON makes of them."""
    if isinstance(value, str):
        return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), value)
    if isinstance(value, dict):
        return {joined(key): joined(item) for key, item in value.items()}
    return [joined(item) for item in value] if isinstance(value, (list, tuple)) else value
