"""A lock between processes for a file that is replaced whole: it lies beside it, because the file itself changes."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lionstudio.errors import Busy, StorageFailed
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.filenames import shown

PATIENCE = 30.0  # seconds; whoever holds a lock only writes one small file meanwhile


@contextmanager
def locked(path: str, *, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock file for the time of the block; it is freed by any death of the process and never removed."""
    try:
        make_folder(os.path.dirname(path))
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StorageFailed(
            f"the lock {shown(path)} cannot be opened: {error.strerror}", hint="check the permissions of its folder"
        ) from error
    try:
        _wait(descriptor, path, time.monotonic() + patience)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int, path: str, deadline: float) -> None:
    pause = 0.001
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise Busy(
                    f"another process holds {shown(path)}", hint="try again in a moment; `li ps` shows what runs"
                ) from None
        time.sleep(pause)
        pause = min(pause * 2, 0.02)
