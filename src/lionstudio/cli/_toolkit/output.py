"""Standard output: commands print through these functions, so that a full disk becomes a clear error."""

from __future__ import annotations

import os
import sys

from lionstudio.cli._toolkit.escape import guarded
from lionstudio.errors import StorageFailed

TYPE_CHECKING = False  # the one in typing is slow to load
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_WRITTEN_AT_ONCE = 65_536  # characters


def emit(text: str, *, controls: str = "") -> None:
    """Print text, after cursor controls of our own; control characters in the text are escaped."""
    _guarded(lambda: sys.stdout.write(controls + guarded(text)))


def emit_lines(lines: Iterable[str]) -> None:
    """Print lines as they come from an iterator, many at a time."""
    _guarded(lambda: _write_lines(lines))


def emit_exact(text: str) -> None:
    """Print text for a program, byte by byte."""
    _guarded(lambda: sys.stdout.write(text))


def flush() -> None:
    """Flush stdout; only then do write errors show."""
    _guarded(lambda: sys.stdout.flush())


def give_up() -> None:
    """Discard further output; otherwise Python flushes again at exit and prints an error."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError):
        pass  # a stream without a descriptor needs no redirection


def _write_lines(lines: Iterable[str]) -> None:
    waiting: list[str] = []
    chars = 0
    try:
        for line in lines:
            waiting.append(line)
            chars += len(line)
            if chars >= _WRITTEN_AT_ONCE:
                text = "\n".join(waiting)
                waiting, chars = [], 0
                sys.stdout.write(guarded(text) + "\n")
    finally:  # also those before an error of the iterator
        if waiting:
            sys.stdout.write(guarded("\n".join(waiting)) + "\n")


def _guarded(write: Callable[[], object]) -> None:
    try:
        write()
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up()
        raise StorageFailed(f"cannot write the output: {error.strerror}", hint="free some disk space") from None
