"""Write a file so that readers see the old content or the new one, never a part, even after a crash."""

from __future__ import annotations

import os
import re
import stat
import time
from _thread import allocate_lock  # `threading` takes longer to load
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from lionstudio.crash import point
from lionstudio.errors import Conflict, InvalidInput, StorageFailed
from lionstudio.system.filenames import shown

STALE_AFTER = 3600  # seconds; the process of a temporary file that old has ended

_TEMPORARY = re.compile(r"\.li-[0-9a-f]{16}\.tmp\Z")


def write_text(path: str, text: str, *, follow: bool = True) -> None:
    """Replace or create a file; text that UTF-8 cannot encode is refused before anything is touched."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"the text for {shown(path)} is not valid Unicode (character {error.start + 1})",
            hint="remove that character",
        ) from None
    write_bytes(path, content, follow=follow)


def write_bytes(path: str, content: bytes, *, follow: bool = True) -> None:
    """Replace or create a file and keep its mode; the target of a link is replaced, or the link unless `follow`."""
    # resolving links inspects every parent folder, so it is done only where a link is possible
    plain = not follow or (os.path.isdir(os.path.dirname(path)) and ".." not in path and not os.path.islink(path))
    target = os.path.abspath(path) if plain else os.path.realpath(path)
    folder = os.path.dirname(target)
    try:
        make_folder(folder)
        remove_stale(folder)
        # whatever the umask: private in a private folder, and elsewhere never writable by others
        is_private = not os.stat(folder).st_mode & 0o077
        with _replacement(target, 0o600 if is_private else 0o644) as descriptor:
            with suppress(FileNotFoundError):
                os.fchmod(descriptor, stat.S_IMODE(os.stat(target, follow_symlinks=follow).st_mode))
            _write_all(descriptor, content)
    except OSError as error:
        raise StorageFailed(
            f"cannot write {shown(path)}: {error.strerror}",
            hint="check the free space and the permissions of its folder",
        ) from error


def write_file(target: str, pieces: Iterable[str], *, replace: bool = False) -> int:
    """Write text piece by piece to a file that only its owner can read; return its size in bytes."""
    _check_target(target, replace)
    try:
        with _replacement(target, 0o600) as descriptor:
            with open(
                descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n", closefd=False
            ) as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(descriptor)
                size = file.tell()
            _check_target(target, replace)  # it may have appeared while we wrote
    except OSError as error:
        raise StorageFailed(f"cannot write {target}: {error.strerror}", hint="choose another folder") from error
    return size


def _check_target(target: str, replace: bool) -> None:
    if os.path.lexists(target):
        if not os.path.isfile(target):
            raise InvalidInput(f"{target} is not a regular file", hint="choose another name")
        if not replace:
            raise Conflict(f"{target} already exists", hint="choose another name, or add --force to replace it")
    elif not os.path.isdir(os.path.dirname(target)):
        raise InvalidInput(
            f"the folder {os.path.dirname(target)} does not exist",
            hint=f"create it: mkdir -p {os.path.dirname(target)}",
        )


def make_folder(path: str) -> None:
    """Create a folder and its missing parents, durable and readable by the owner only."""
    path, missing = os.path.abspath(path), []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        sync_folder(os.path.dirname(folder))


def remove_stale(folder: str, now: float | None = None) -> None:
    """Remove old temporary files of processes that were killed."""
    before = (time.time() if now is None else now) - STALE_AFTER
    with os.scandir(folder) as entries:
        paths = [entry.path for entry in entries if _TEMPORARY.match(entry.name)]
    for path in paths:
        with suppress(OSError):
            if os.lstat(path).st_mtime < before:
                os.unlink(path)


def sync_folder(path: str) -> None:
    """Make the names in a folder survive a power failure."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


@contextmanager
def _replacement(target: str, mode: int) -> Iterator[int]:
    """Open a temporary file beside the target; after the block it is synced and renamed to the target."""
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".li-{os.urandom(8).hex()}.tmp")
    try:  # from the start: a signal may arrive as soon as the file exists
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            yield descriptor
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


_umask_lock = allocate_lock()
_umask_users = 0
_usual_umask = 0


@contextmanager
def private_umask() -> Iterator[None]:
    """Create files for their owner only. The umask belongs to the process: the last thread to leave restores it."""
    global _umask_users, _usual_umask
    with _umask_lock:
        if _umask_users == 0:
            _usual_umask = os.umask(0o077)
        _umask_users += 1
    try:
        yield
    finally:
        with _umask_lock:
            _umask_users -= 1
            if _umask_users == 0:
                os.umask(_usual_umask)
