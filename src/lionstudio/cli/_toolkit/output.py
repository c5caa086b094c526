"""Standard output: everything a command prints goes through here, so that a disk that is full is said as such."""

from __future__ import annotations

import os
import sys

from lionstudio.errors import StorageFailed

TYPE_CHECKING = False  # the one in typing is slow to load
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def emit(text: str) -> None:
    """Print text as it is."""
    _guarded(lambda: sys.stdout.write(text))


def emit_lines(lines: Iterable[str]) -> None:
    """Print lines, each with its end; they may come one by one and be many."""
    _guarded(lambda: sys.stdout.writelines(line + "\n" for line in lines))


def flush() -> None:
    """Hand over what was printed; only then is it known whether it could be written."""
    _guarded(lambda: sys.stdout.flush())


def give_up() -> None:
    """Print nothing more; else Python tries once again at its end, and complains."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass  # a stream without a descriptor has nobody to complain to


def _guarded(write: Callable[[], object]) -> None:
    try:
        write()
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up()
        raise StorageFailed(f"the output cannot be written: {error.strerror}", hint="free some space") from None
