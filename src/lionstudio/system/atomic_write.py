"""Writing a file so that it is the old one or the new one and never a cut one, whatever happens on the way."""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress

from lionstudio.crash import point
from lionstudio.errors import InvalidInput, StorageFailed
from lionstudio.system.filenames import shown

STALE_AFTER = 3600  # seconds; a temporary file that old belongs to nobody any more

_TEMPORARY = re.compile(r"\.li-[0-9a-f]{16}\.tmp\Z")


def write_text(path: str, text: str) -> None:
    """Replace or create a file; text that UTF-8 cannot carry is refused before anything is touched."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"the text for {shown(path)} is not valid Unicode (character {error.start + 1})",
            hint="remove that character",
        ) from None
    write_bytes(path, content)


def write_bytes(path: str, content: bytes) -> None:
    """Replace or create a file; a file that a link leads to is replaced where it lies, with the mode it has."""
    # following links costs a look at every folder above, so it is done only where one may be met
    plain = os.path.isdir(os.path.dirname(path)) and ".." not in path and not os.path.islink(path)
    target = os.path.abspath(path) if plain else os.path.realpath(path)
    folder = os.path.dirname(target)
    try:
        make_folder(folder)
        remove_stale(folder)
        _replace(target, folder, content)
    except OSError as error:
        raise StorageFailed(
            f"{shown(path)} could not be written: {error.strerror}",
            hint="check the space and the permissions of its folder",
        ) from error


def make_folder(path: str) -> None:
    """Make a folder and what is missing above it, for its owner alone."""
    path, missing = os.path.abspath(path), []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        sync_folder(os.path.dirname(folder))


def remove_stale(folder: str, now: float | None = None) -> None:
    """Remove temporary files that a killed process left here long ago."""
    before = (time.time() if now is None else now) - STALE_AFTER
    with os.scandir(folder) as found:
        old = [entry.path for entry in found if _TEMPORARY.match(entry.name)]
    for path in old:
        with suppress(OSError):
            if os.lstat(path).st_mtime < before:
                os.unlink(path)


def sync_folder(path: str) -> None:
    """Make the names in a folder survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _replace(target: str, folder: str, content: bytes) -> None:
    temporary = os.path.join(folder, f".li-{os.urandom(8).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        try:
            _keep_mode(descriptor, target)
            _write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        point("file.temporary_written")
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(folder)


def _keep_mode(descriptor: int, target: str) -> None:
    with suppress(FileNotFoundError):
        os.fchmod(descriptor, stat.S_IMODE(os.stat(target).st_mode))


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
