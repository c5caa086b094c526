"""The lines of a file that another program is still writing: whole ones only, and never more memory than one.

A last line without its end is left for later, unless it is a whole JSON object: then nothing can follow but its end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

LONGEST = 64 * 1024 * 1024  # bytes of one line; a transcript's longest are images of a few megabytes
TOO_LONG = "line longer than 64 MB"
_CHUNK = 1024 * 1024
_HEAD = 4096
_TAIL = 1024


class Line(NamedTuple):
    """One line without its end; None where it was too long to be read."""

    text: bytes | bytearray | None
    end: int  # the offset of whatever comes next
    within: bool = False  # `end` lies inside a line that is being passed over


def read_lines(descriptor: int, start: int, *, within: bool = False, longest: int = LONGEST) -> Iterator[Line]:
    """Every whole line from an offset to the end of the file; `within` goes on passing over a line."""
    at, kept = start, bytearray()
    while chunk := os.pread(descriptor, _CHUNK, at + len(kept)):
        begin = 0
        while (end := chunk.find(b"\n", begin)) >= 0:
            # a long line is not copied once more: it may be the largest thing in memory
            kept += chunk[begin:end]
            at += len(kept) + 1
            line, kept = kept, bytearray()
            yield Line(None if within or len(line) > longest else line, at)
            begin, within = end + 1, False
        kept += chunk[begin:]
        if within or len(kept) > longest:
            at += len(kept)
            kept.clear()
            within = True
            yield Line(None, at, within=True)
    if _is_whole(kept):
        yield Line(kept, at + len(kept))


def _is_whole(line: bytearray) -> bool:
    if not line.rstrip().endswith(b"}"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):  # cut after an inner object, or in the middle of a character
        return False


def checksum(descriptor: int, end: int) -> str:
    """A digest of the first block and of the one before an offset: another file, or a rewritten one, has another."""
    tail = max(0, end - _TAIL)
    blocks = os.pread(descriptor, min(_HEAD, end), 0) + os.pread(descriptor, end - tail, tail)
    return f"{end}:{sha256(blocks).hexdigest()[:32]}"


def open_regular(path: str) -> int:
    """A descriptor for reading; a link is not followed, and nothing but a regular file is opened."""
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
