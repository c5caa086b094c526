"""Text without the colours of a terminal, which stand inside of names and values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate, pairwise

_CODE = r"\[[0-9;?]{0,24}[A-Za-z]"
_ESCAPE = re.compile(rf"\x1b{_CODE}(?:\x1b{_CODE}){{0,15}}")
# as it is written in JSON, Python and shells; three times slower to search for
_WRITTEN = re.compile(r"\\(?:x1[bB]|u001[bB]|033|e)\[")
_ANY = rf"[\x1b\\](?:(?<=\x1b)|\\{{0,2}}(?:x1[bB]|u001[bB]|033|e)){_CODE}"
_ANY_ESCAPE = re.compile(rf"{_ANY}(?:{_ANY}){{0,15}}")


def find_colours(text: str) -> re.Pattern[str] | None:
    """The expression for the colours that a text has."""
    if "\\" in text and _WRITTEN.search(text):
        return _ANY_ESCAPE
    return _ESCAPE if "\x1b" in text else None


def without_colours(text: str, colours: re.Pattern[str]) -> tuple[str, Callable[[int], int]]:
    """The text without them, and the function from a position in it to one in the original."""
    spans = [codes.span() for codes in colours.finditer(text)]
    ends = [0, *(end for _, end in spans)]
    pieces = [text[end:start] for end, (start, _) in zip(ends, [*spans, (len(text), 0)], strict=True)]
    # two words do not become one
    for number, (piece, following) in enumerate(pairwise(pieces)):
        if piece[-1:].isalnum() and following[:1].isalnum():
            pieces[number] = f"{piece} "
    starts = [0, *accumulate(map(len, pieces))]

    def place_of(at: int) -> int:
        number = bisect_right(starts, at, hi=len(pieces)) - 1
        return ends[number] + at - starts[number]

    return "".join(pieces), place_of
