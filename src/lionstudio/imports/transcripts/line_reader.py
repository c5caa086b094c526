"""The complete lines of a file that another program is still writing, with the memory of one line.

A last line without a newline is left for later, unless it is a complete JSON object: then only the newline can follow.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

LONGEST = 64 * 1024 * 1024  # bytes of one line; the longest in transcripts are images of a few megabytes
TOO_LONG = "line longer than 64 MB"
_CHUNK = 1024 * 1024
_CHECKSUM_START = 4096  # bytes at the start and before the offset that the checksum covers
_CHECKSUM_END = 1024


class Line(NamedTuple):
    """A line without its newline; `text` is None for a line that is too long."""

    text: bytes | bytearray | None
    end: int  # the offset to continue from
    within: bool = False  # `end` is inside a line that is being skipped


def read_lines(descriptor: int, start: int, *, within: bool = False, longest: int = LONGEST) -> Iterator[Line]:
    """Every complete line from an offset to the end of the file; `within` continues to skip a line."""
    at, buffer = start, bytearray()
    while chunk := os.pread(descriptor, _CHUNK, at + len(buffer)):
        begin = 0
        while (end := chunk.find(b"\n", begin)) >= 0:
            # a long line is not copied again: it may be the largest object in memory
            buffer += chunk[begin:end]
            at += len(buffer) + 1
            line, buffer = buffer, bytearray()
            yield Line(None if within or len(line) > longest else line, at)
            begin, within = end + 1, False
        buffer += chunk[begin:]
        if within or len(buffer) > longest:
            at += len(buffer)
            buffer.clear()
            within = True
            yield Line(None, at, within=True)
    if _is_complete(buffer):
        yield Line(buffer, at + len(buffer))


def _is_complete(line: bytearray) -> bool:
    if not line.rstrip().endswith(b"}"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):  # cut after an inner object, or in the middle of a character
        return False


def checksum(descriptor: int, end: int) -> str:
    """A digest of the first bytes and of those before an offset; it changes when the file is replaced or rewritten."""
    tail = max(0, end - _CHECKSUM_END)
    blocks = os.pread(descriptor, min(_CHECKSUM_START, end), 0) + os.pread(descriptor, end - tail, tail)
    return f"{end}:{sha256(blocks).hexdigest()[:32]}"


def open_regular(path: str) -> int:
    """Open for reading without following a link or waiting for a pipe."""
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
