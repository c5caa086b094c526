"""The readable text of a message's content; separate from the message classes, which are slow to load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

LINES = "lines"  # metadata: this message has so many lines of a program's output, which are not Markdown


def first_line(text: str, limit: int) -> str:
    """The first line that is not blank, shortened to `limit` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= limit else line[: limit - 1] + "…"


def text_of(content: Any) -> str:
    """All readable text of a content, in order, one piece per line."""
    if type(content) is dict and len(content) == 1:
        [only] = content.values()
        if type(only) is str:  # most contents
            return only
    return "\n".join(_pieces(content))


def _pieces(content: Any) -> Iterator[str]:
    stack = [content]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            stack.extend(reversed(list(item.values())))
        elif isinstance(item, (list, tuple)):
            stack.extend(reversed(item))
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield str(item)
