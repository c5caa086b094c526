"""Values of megabytes, taken out of their JSON once: parts of them are then read from a file, not from all of it."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from lionstudio.state.connection import Connection
from lionstudio.state.messages.pages import ContentSlice, content_size, content_slice

_LONG = 1_000_000  # bytes of a content; taking a part out of less is quick
_STEP = 65_536  # characters between two places that are found at once
_MOST = 3  # values that are kept
_SECONDS = 60.0  # for which they are: somebody may change a message behind our back
_ALL = 2**31 - 1

Key = tuple[str, str, int]


@dataclass(slots=True)
class _Value:
    """A text in a file without a name; `marks` are the bytes at which every step of it begins."""

    file: IO[bytes]
    total: int
    made: float
    marks: list[int] = field(default_factory=list)

    def part(self, start: int, length: int) -> ContentSlice:
        """Some characters of it."""
        first, behind = start // _STEP, (start + length + _STEP - 1) // _STEP
        if first >= len(self.marks):
            return ContentSlice("", start, self.total)
        self.file.seek(self.marks[first])
        until = self.marks[behind] if behind < len(self.marks) else None
        data = self.file.read() if until is None else self.file.read(until - self.marks[first])
        text = data.decode("utf-8", "surrogatepass")
        return ContentSlice(text[start - first * _STEP :][:length], start, self.total)


class ContentCache:
    """The last few that somebody scrolls through."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[Key, _Value] = {}
        self._lock = threading.Lock()

    def read(self, conn: Connection, message_id: str, key: str, start: int, length: int) -> ContentSlice:
        """As `content_part` gives it; a long value is taken out for all parts at once."""
        size = content_size(conn, message_id)
        if size < _LONG:
            return content_slice(conn, message_id, key, start, length)
        with self._lock:  # who asks for the next part meanwhile needs the same
            found = self._find((message_id, key, size)) or self._make(conn, (message_id, key, size))
            return content_slice(conn, message_id, key, start, length) if found is None else found.part(start, length)

    def _find(self, key: Key) -> _Value | None:
        old = self._clock() - _SECONDS
        for each in [each for each, value in self._kept.items() if value.made < old]:
            self._kept.pop(each).file.close()
        return self._kept.get(key)

    def _make(self, conn: Connection, key: Key) -> _Value | None:
        message_id, name, _ = key
        whole = content_slice(conn, message_id, name, 0, _ALL)
        try:
            value = _Value(tempfile.TemporaryFile(), whole.total, self._clock())  # noqa: SIM115  (kept open)
            for start in range(0, len(whole.text), _STEP):
                value.marks.append(value.file.tell())
                value.file.write(whole.text[start : start + _STEP].encode("utf-8", "surrogatepass"))
        except OSError:
            return None  # there is no room for it
        while len(self._kept) >= _MOST:
            self._kept.pop(next(iter(self._kept))).file.close()
        self._kept[key] = value
        return value

    def close(self) -> None:
        """Let all of them go."""
        with self._lock:
            for value in self._kept.values():
                value.file.close()
            self._kept = {}
