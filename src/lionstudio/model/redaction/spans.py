"""The parts of a text that are secrets, and the text without them."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect
from collections.abc import Callable
from functools import lru_cache

MARK = "[REDACTED:"
_MARK = re.compile(r"\[REDACTED:[0-9a-z-]{1,40}(?::[0-9a-f]{8})?\]")
Span = tuple[int, int, str]


class Spans:
    """Parts of one text, in any order, overlapping or not."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[Span] = []

    def add(self, start: int, end: int, rule: str) -> None:
        self.found.append((start, end, rule))

    def starts(self) -> set[int]:
        return {start for start, _, _ in self.found}

    def extend(self, spans: Spans) -> None:
        self.found += spans.found

    def move(self, place_of: Callable[[int], int]) -> None:
        """The same parts of the text that this one was made from."""
        self.found = [(place_of(start), place_of(end - 1) + 1, rule) for start, end, rule in self.found]

    def remove_from(self, text: str) -> str:
        if not self.found:
            return text
        pieces, position = [], 0
        if MARK in text:
            self._leave_marks(text)
        for start, end, rule in self._merged():
            pieces += [text[position:start], mark(rule, text[start:end])]
            position = end
        return "".join([*pieces, text[position:]])

    def _leave_marks(self, text: str) -> None:
        """Drop what starts inside the mark of an earlier redaction: a text may pass twice."""
        marks = [match.span() for match in _MARK.finditer(text)]
        starts = [start for start, _ in marks]

        def is_free(position: int) -> bool:
            index = bisect(starts, position) - 1
            return index < 0 or position >= marks[index][1]

        self.found = [span for span in self.found if is_free(span[0])]

    def _merged(self) -> list[Span]:
        """Without overlaps; a part takes the name of the rule that found its beginning first."""
        merged: list[Span] = []
        for start, end, rule in sorted(self.found, key=_order):
            if merged and start < merged[-1][1]:
                first, last, name = merged[-1]
                merged[-1] = (first, max(last, end), name)
            else:
                merged.append((start, end, rule))
        return merged


def _order(span: Span) -> tuple[int, int]:
    return span[0], -span[1]


@lru_cache(256)
def mark(rule: str, secret: str) -> str:
    digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{MARK}{rule}:{digest}]"
