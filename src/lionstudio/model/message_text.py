"""The readable text of a message's content; apart from the message classes, which are slow to load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def text_of(content: Any) -> str:
    """All readable text in a content, in order, one piece a line."""
    return "\n".join(_pieces(content))


def _pieces(content: Any) -> Iterator[str]:
    waiting = [content]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting.extend(reversed(list(item.values())))
        elif isinstance(item, (list, tuple)):
            waiting.extend(reversed(item))
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield str(item)
