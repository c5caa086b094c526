"""A program's output by way of a file without a name, read while it grows.

Some programs end without waiting until a pipe was read, and what did not fit into it is lost; a file takes all.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import tempfile
from contextlib import suppress

_CHUNK = 1024 * 1024
_FORGET_AFTER = 16 * 1024 * 1024  # what was read is given back to the disk in pieces of this size
_LOOK_SECONDS = 0.05  # where nobody tells us that a file has grown
_IN_MODIFY = 0x2
_PUNCH_HOLE = 0x3  # and keep the size


class OutputFile:
    """One program's output; writing is the program's, reading ours."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._read = self._forgotten = 0
        self._over = False
        self._stir = asyncio.Event()
        self._watch = _watch(self._file.fileno())
        if self._watch is not None:
            asyncio.get_running_loop().add_reader(self._watch, self._on_growth)

    def fileno(self) -> int:
        """What the program writes to."""
        return self._file.fileno()

    def end(self) -> None:
        """The program has ended: what is there is all."""
        self._over = True
        self._stir.set()

    async def more(self) -> bytes:
        """The next piece, nothing at the end."""
        while True:
            over = self._over
            self._stir.clear()
            if piece := os.pread(self.fileno(), _CHUNK, self._read):
                self._read += len(piece)
                self._forget()
                return piece
            if over:
                return b""
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stir.wait(), _LOOK_SECONDS if self._watch is None else None)

    def close(self) -> None:
        """Let go of it."""
        if self._watch is not None:
            asyncio.get_running_loop().remove_reader(self._watch)
            os.close(self._watch)
            self._watch = None
        self._file.close()

    def _on_growth(self) -> None:
        assert self._watch is not None
        os.read(self._watch, 4096)
        self._stir.set()

    def _forget(self) -> None:
        size = self._read - self._forgotten
        if size < _FORGET_AFTER or sys.platform != "linux":
            return
        libc = ctypes.CDLL(None)
        libc.fallocate(self.fileno(), _PUNCH_HOLE, ctypes.c_long(self._forgotten), ctypes.c_long(size))
        self._forgotten = self._read


def _watch(descriptor: int) -> int | None:
    """A descriptor that can be read when the file has grown, None where there is no such thing."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    watch: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if watch < 0:
        return None
    if libc.inotify_add_watch(watch, f"/proc/self/fd/{descriptor}".encode(), _IN_MODIFY) < 0:
        os.close(watch)
        return None
    return watch
