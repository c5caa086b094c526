"""Standard output: commands print through these functions, so that a full disk becomes a clear error."""

from __future__ import annotations

import os
import sys

from lionstudio.errors import StorageFailed

TYPE_CHECKING = False  # the one in typing is slow to load
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def emit(text: str) -> None:
    _guarded(lambda: sys.stdout.write(text))


def emit_lines(lines: Iterable[str]) -> None:
    """Print lines as they come from an iterator."""
    _guarded(lambda: sys.stdout.writelines(line + "\n" for line in lines))


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


def _guarded(write: Callable[[], object]) -> None:
    try:
        write()
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up()
        raise StorageFailed(f"cannot write the output: {error.strerror}", hint="free some disk space") from None
