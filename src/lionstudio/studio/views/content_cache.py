"""A cache of long message values: a value of megabytes is extracted from its JSON once, then read in parts."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from lionstudio.state.connection import Connection
from lionstudio.state.messages.pages import ContentSlice, content_size, content_slice

_LONG = 1_000_000  # bytes of a content; a shorter one is quick to slice
_STEP = 65_536  # characters between two known byte offsets
_MOST = 3  # cached values
_SECONDS = 60.0  # lifetime: another process may change the message
_ALL = 2**31 - 1

Key = tuple[str, str, int]


@dataclass(slots=True)
class _Value:
    """A text in an anonymous file; `offsets` are the bytes at which each step starts."""

    file: IO[bytes]
    total: int
    created_at: float
    offsets: list[int] = field(default_factory=list)

    def read(self, start: int, length: int) -> ContentSlice:
        first, end = start // _STEP, (start + length + _STEP - 1) // _STEP
        if first >= len(self.offsets):
            return ContentSlice("", start, self.total)
        self.file.seek(self.offsets[first])
        until = self.offsets[end] if end < len(self.offsets) else None
        data = self.file.read() if until is None else self.file.read(until - self.offsets[first])
        text = data.decode("utf-8", "surrogatepass")
        return ContentSlice(text[start - first * _STEP :][:length], start, self.total)


class ContentCache:
    """The values that were read last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._values: dict[Key, _Value] = {}
        self._lock = threading.Lock()

    def read(self, conn: Connection, message_id: str, key: str, start: int, length: int) -> ContentSlice:
        """A slice of a content value; a long value is cached."""
        size = content_size(conn, message_id)
        if size < _LONG:
            return content_slice(conn, message_id, key, start, length)
        with self._lock:  # a concurrent read usually wants the same value
            value = self._find((message_id, key, size)) or self._load(conn, (message_id, key, size))
            return content_slice(conn, message_id, key, start, length) if value is None else value.read(start, length)

    def _find(self, key: Key) -> _Value | None:
        expired = self._clock() - _SECONDS
        for old in [old for old, value in self._values.items() if value.created_at < expired]:
            self._values.pop(old).file.close()
        return self._values.get(key)

    def _load(self, conn: Connection, key: Key) -> _Value | None:
        message_id, name, _ = key
        whole = content_slice(conn, message_id, name, 0, _ALL)
        try:
            value = _Value(tempfile.TemporaryFile(), whole.total, self._clock())  # noqa: SIM115  (kept open)
            for start in range(0, len(whole.text), _STEP):
                value.offsets.append(value.file.tell())
                value.file.write(whole.text[start : start + _STEP].encode("utf-8", "surrogatepass"))
        except OSError:
            return None  # no space left for the file
        while len(self._values) >= _MOST:
            self._values.pop(next(iter(self._values))).file.close()
        self._values[key] = value
        return value

    def close(self) -> None:
        with self._lock:
            for value in self._values.values():
                value.file.close()
            self._values = {}
