"""What a program prints and we do not know is kept as it is, never dropped."""

from __future__ import annotations

from typing import Any

from lionstudio.model.json_codec import jsonable, load
from lionstudio.model.messages import Message


def parse_line(line: bytes) -> Any:
    """The JSON value of a line; text that is no JSON stays text, bytes that are no text are spelled out."""
    text = line.decode("utf-8", "backslashreplace")
    try:
        return load(text)
    except ValueError:
        return text


def raw_message(value: Any, **metadata: Any) -> Message:
    """A message of no known class that holds what was printed."""
    return Message(content={"raw": jsonable(value)}, metadata=metadata)
